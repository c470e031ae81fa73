import type { AccessChange, Changes, Opened } from "./changes";

/** What a change of declared objects does to requests. */
export interface AccessComparison {
  /** The verdict in one line: "Opens nothing (proved over 1,204 combinations at 12 addresses)." */
  readonly sentence: string;
  /**
   * `opens nothing` is proved: no request that was kept out is let in. `unproved`: nothing was found to open,
   * but not every request could be decided.
   */
  readonly verdict: "opens nothing" | "opens" | "unproved";
  /** Let in now, and not before. One entry for each address and what served its requests before. */
  readonly opened: readonly Opened[];
  /** Let in before, and not now. */
  readonly closed: readonly AccessChange[];
  /** Let in by both, by another backend or with another status. */
  readonly moved: readonly AccessChange[];
  /** Addresses with requests that could not be decided, and why. */
  readonly unproved: readonly Unproved[];
  /** How many combinations of requests were tried. */
  readonly combinations: number;
  /** At how many addresses. */
  readonly addresses: number;
}

/** Requests that one address served before and one serves after, and the effect of the change on them. */
export interface AreaChanges {
  /** Null if nothing served them; the same for `is`. */
  readonly was: string | null;
  readonly is: string | null;
  readonly changes: Omit<Changes, "unknown" | "combinations">;
  /** Whether all of them were decided. */
  readonly isProved: boolean;
}

export interface Unproved {
  readonly address: string;
  readonly reason: string;
}
