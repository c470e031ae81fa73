import type { OperationName } from "./subject";

/** Our goals for the server with all features on, compared with a floor in the same run. */
interface Goal {
  readonly floor: "one by one" | "group commit";
  /** Requests per second, at least this multiple of the floor's. */
  readonly perSecond: number;
}

export const GOALS: Readonly<Record<OperationName, Goal>> = {
  get: { floor: "one by one", perSecond: 0.9 },
  "list 100": { floor: "one by one", perSecond: 2 },
  create: { floor: "group commit", perSecond: 0.7 },
  patch: { floor: "group commit", perSecond: 0.7 },
  "put a module": { floor: "group commit", perSecond: 0.7 },
  "mix 60/10/15/15": { floor: "one by one", perSecond: 1.2 },
};

/** The goal for p99, as a multiple of the floor's. */
export const P99 = 1.5;
