import type { OperationName } from "./subject";

/** What we want of the server with everything on, as a part of a floor in the same run. */
interface Goal {
  readonly floor: "one by one" | "group commit";
  /** Requests per second, at least so many times the floor's. */
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

/** The slowest of a hundred requests may take so many times what it takes on the floor. */
export const P99 = 1.5;
