import { type RequestError, refusalForNow } from "../../util";

/** The limit of edges and routes that one change may touch where guarantees are. */
export const MAX_EDGES = 5_000;
/** The limit of objects that are read to judge a change or to find the state of guarantees. */
export const MAX_OBJECTS = 20_000;
/** The limit of guarantees; a write reads only those that cover what it touches. */
export const MAX_GUARANTEES = 10_000;

/** The limit of pairs of guarantees that a transaction compares itself; more go to the thread. */
export const MAX_COMPARED = 256;

/** The limit of guarantees whose state a page shows: they are judged together, in at most 30 s. */
export const MAX_STATES = 20;

export const tooMany = (): RequestError =>
  refusalForNow(
    "overloaded",
    `The change touches more than ${MAX_EDGES.toLocaleString("en-US")} edges and routes, which is more than guarantees can be judged for at once; change less at once`,
  );
