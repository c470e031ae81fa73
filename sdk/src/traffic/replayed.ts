import type { Example } from "../meaning/access/changes";

/** How a request that a change affects ends. */
export type Changed = "refused" | "opened" | "moved";

/**
 * The effect of a change on recorded traffic. The counts are those of requests, and of connections without
 * HTTP.
 */
export interface TrafficReplay {
  /** All of it in one line: "312 of 48,120 requests would be refused, from 4 networks; first: …" */
  readonly sentence: string;
  readonly requests: number;
  /** Let in before, and not after. */
  readonly refused: number;
  /** Let in after, and not before. */
  readonly opened: number;
  /** Let in before and after, by another backend or with another status. */
  readonly moved: number;
  /** How many cannot be decided; `reasons` say why. */
  readonly unknown: number;
  /**
   * The number of networks (/24 and /48) with requests that would be refused; at most 100,000 are counted.
   */
  readonly networks: number;
  /** How many lines were damaged, and left out. */
  readonly damaged: number;
  /** The beginnings of the first and the last recorded hour; null where there is none. */
  readonly first_hour: string | null;
  readonly last_hour: string | null;
  /** One request for each cause; those that would be refused first, then by their number. At most 10 each. */
  readonly examples: readonly TrafficExample[];
  /** Why requests cannot be decided, the most frequent reason first. At most 10. */
  readonly reasons: readonly { readonly reason: string; readonly requests: number }[];
}

export interface TrafficExample extends Example {
  readonly kind: Changed;
  /** How many have the same cause. */
  readonly requests: number;
  /** "`GET app.example.com:443/admin` from 198.51.100.0/24 without a token: answered → 401" */
  readonly sentence: string;
}
