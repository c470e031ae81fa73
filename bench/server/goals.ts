import type { OperationName } from "./subject";

/**
 * The floor on SQLite that an operation is compared with. There is no goal: a floor does none of our work, so
 * it is a limit to come near.
 */
export const FLOORS: Readonly<Record<OperationName, "one by one" | "group commit">> = {
  get: "one by one",
  "list 100": "one by one",
  create: "group commit",
  patch: "group commit",
  "put a module": "group commit",
  "mix 60/10/15/15": "one by one",
};

/** The goal for p99 of creations on a PostgreSQL server that is 1 ms away each way, in milliseconds. */
export const FAR_P99_MS = 100;
