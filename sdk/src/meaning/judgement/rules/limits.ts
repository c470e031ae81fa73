import { own } from "../../../contract/core/narrow";
import type { Limit } from "./policies";
import { Unservable } from "./unservable";

const MAX_REQUESTS = 1_000_000;
const MAX_SECONDS = 86_400;
const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/** What a `rate-limit` admits: `capacity` requests in `seconds`. */
export interface Bucket {
  readonly capacity: number;
  readonly seconds: number;
}

/**
 * Envoy counts with a bucket, the contract speaks of a sliding window. Both admit the same on average; across
 * the border of two windows, a bucket admits up to twice as much. The ranges are those of the contract. They
 * are checked again, because Envoy refuses a whole file for one number that is too large.
 */
export function bucketOf({ capacity, rate }: Limit["config"]): Bucket {
  if (!Number.isInteger(capacity) || Number(capacity) < 1 || Number(capacity) > MAX_REQUESTS)
    throw new Unservable(
      `the capacity ${JSON.stringify(capacity)} of a rate-limit is out of range: use 1 to ${MAX_REQUESTS}`,
    );
  const [, count, unit] = /^(\d{1,5})([smh])$/.exec(String(rate)) ?? [];
  const seconds = Number(count) * Number(own(SECONDS, unit ?? ""));
  if (!(seconds >= 1 && seconds <= MAX_SECONDS))
    throw new Unservable(
      `the rate ${JSON.stringify(rate)} of a rate-limit is out of range: use 1s to 24h, in s, m or h`,
    );
  return { capacity: Number(capacity), seconds };
}

/** The value by which requests are counted: their address, or a header by its name in lower case. */
export type BucketKey = "client_ip" | "host" | "method" | { readonly header: string };

/** @throws Unservable for a value by which gateways cannot count */
export function bucketKeysOf({ bucket_key }: Limit["config"]): BucketKey[] {
  const keys = (Array.isArray(bucket_key) ? bucket_key : []).map((text) => keyOf(String(text)));
  if (keys.filter((key) => typeof key === "object").length > 1)
    throw new Unservable("a rate-limit counts by more than one header; gateways count by one header at most");
  return keys;
}

function keyOf(text: string): BucketKey {
  const named = own(NAMED, text);
  if (named) return named;
  const header = /^req\.headers\[(["'])([!#$%&'*+.^_`|~0-9A-Za-z-]+)\1\]$/.exec(text)?.[2]?.toLowerCase();
  if (header !== undefined) return header === "host" ? "host" : { header };
  throw new Unservable(
    `a rate-limit counts by ${JSON.stringify(text)}; gateways count by conn.client_ip, req.host, req.method, req.user_agent and req.headers["…"]`,
  );
}

const NAMED: Readonly<Record<string, BucketKey>> = {
  "req.host": "host",
  "req.method": "method",
  "req.user_agent": { header: "user-agent" },
  "conn.client_ip": "client_ip",
  "conn.ClientIP": "client_ip",
};
