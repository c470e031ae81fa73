import type { OperationName } from "./subject";

/** Our goals for the server with all features on, compared with a floor in the same run. */
interface Goal {
  readonly floor: "one by one" | "group commit";
  /** Requests per second, at least this multiple of the floor's. */
  readonly perSecond: number;
}

/** On SQLite. */
export const GOALS: Readonly<Record<OperationName, Goal>> = {
  get: { floor: "one by one", perSecond: 0.9 },
  "list 100": { floor: "one by one", perSecond: 1.5 },
  create: { floor: "group commit", perSecond: 0.5 },
  patch: { floor: "group commit", perSecond: 0.5 },
  "put a module": { floor: "group commit", perSecond: 0.5 },
  "mix 60/10/15/15": { floor: "one by one", perSecond: 1 },
};

/** The goal for p99 on SQLite, as a multiple of the floor's. */
export const P99 = 1.5;

/** Requests per second of one server on PostgreSQL, as a multiple of the floor's. */
export const ON_POSTGRES: Readonly<Partial<Record<OperationName, number>>> = {
  create: 0.35,
  patch: 0.5,
  "put a module": 0.5,
};

/** On a PostgreSQL server that is 1 ms away each way. */
export const FAR_AWAY = {
  /** Creations per second of two servers, as a multiple of one's: where the machine has processor left. */
  scaling: 1.8,
  /** For creations, in milliseconds. */
  p99: 100,
} as const;
