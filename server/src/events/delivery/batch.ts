import type { Database, DeliveryRow } from "../../storage";
import type { Outgoing, Target } from "../targets";
import type { Sent } from "../targets/target";
import { nextAttempt } from "./retry";

/** How long others leave a batch alone; a dispatcher that was killed cannot give it back. Longer than any batch may take (30 s). */
const LEASE_MS = 60_000;

// More would hold too much at once: payloads have a few KB each.
const LARGEST_BATCH = 2000;

/** How many requests go at once with the events of one batch: to take and to record it costs a transaction, however many there are. */
export const REQUESTS = 4;

/** An event that is being delivered. */
export type LeasedEvent = Pick<DeliveryRow, "sequence" | "object_id" | "attempts" | "first_attempt_at">;

/** What one dispatcher alone delivers for now, in order. */
export interface Batch {
  readonly lease: string;
  readonly destination: string;
  /** Where it was taken: from the feed, to be tried for the first time, or from lanes. */
  readonly from: "feed" | "lanes";
  readonly deliveries: readonly LeasedEvent[];
  /** Whether there was more than one batch takes. */
  readonly more: boolean;
}

/** A batch that was taken, and how it is sent. */
export interface LeasedBatch {
  readonly batch: Batch;
  /** The events of its deliveries, in the same order, by the requests that they go in. */
  readonly requests: Outgoing[][];
}

/** What became of an event of a batch. */
export type Result = Sent & { readonly retryAfterMs?: number };

/** A batch that was sent, and what became of each of its events, in order. */
export interface SentBatch {
  readonly batch: Batch;
  readonly results: readonly Result[];
}

export interface LeaseOptions {
  readonly destination: string;
  /** What it takes in one request. */
  readonly target: Target;
  readonly now: Date;
  /** Makes an event's text to be sent from what is stored. */
  readonly bodyOf: (payload: string) => string;
}

/** Where a batch has several events of one object, they have to go in one request: of two, the later might be accepted alone. */
const requestsIn = ({ atomic }: Target): number => (atomic ? 1 : REQUESTS);

/** How many events a batch has at most. */
export const mostOf = (target: Target): number => Math.min(target.limits.count * requestsIn(target), LARGEST_BATCH);

/** When others may take over what is taken now. */
export const leaseEnd = (now: Date): string => new Date(now.getTime() + LEASE_MS).toISOString();

/** An event as it is read from the database, and what is known of its delivery, if anything. */
export type Stored = Pick<Database["event"], "sequence" | "object_id" | "id" | "created_at" | "payload"> &
  Partial<Pick<DeliveryRow, "attempts" | "first_attempt_at">>;

export const leasable = ({ sequence, object_id, attempts = 0, first_attempt_at = null }: Stored): LeasedEvent => ({
  sequence,
  object_id,
  attempts,
  first_attempt_at,
});

/** As many from the start as go in one batch, by the requests that they go in. */
export function requestsOf({ target, bodyOf }: LeaseOptions, events: readonly Stored[]): Outgoing[][] {
  const { limits } = target;
  const requests: Outgoing[][] = [];
  let request: Outgoing[] = [];
  let bytes = 0;
  for (const { id, object_id, created_at, payload } of events) {
    const event = { id, key: object_id, time: created_at, body: bodyOf(payload) };
    const size = target.sizeOf(event);
    // One that is too large for any request is refused without being sent, and takes no room.
    const taken = size > limits.recordBytes ? 0 : size;
    if (requests.length === 0 || request.length === limits.count || bytes + taken > limits.bytes) {
      if (requests.length === requestsIn(target)) break;
      request = [];
      bytes = 0;
      requests.push(request);
    }
    request.push(event);
    bytes += taken;
  }
  return requests;
}

/** What is recorded of one event of a batch. */
export interface Outcome {
  readonly delivery: LeasedEvent;
  readonly status: DeliveryRow["status"];
  readonly error: string | null;
  /** When the next event of its object may go. */
  readonly due: string;
}

/** @param random spreads when failed ones are tried again, from 0 up to 1 */
export function outcomesOf({ batch, results }: SentBatch, now: Date, random: number): Outcome[] {
  const due = now.toISOString();
  return batch.deliveries.map((delivery, index): Outcome => {
    const result = results[index] as Result;
    return result.ok ? { delivery, status: "delivered", error: null, due } : failureOf(delivery, result, now, random);
  });
}

function failureOf(delivery: LeasedEvent, result: Extract<Result, { ok: false }>, now: Date, random: number): Outcome {
  const { permanent, retryAfterMs, error } = result;
  const firstAttempt = delivery.first_attempt_at === null ? now : new Date(delivery.first_attempt_at);
  const next = nextAttempt({ attempts: delivery.attempts + 1, firstAttempt, permanent, retryAfterMs }, now, random);
  return { delivery, status: next ? "pending" : "dead", error, due: (next ?? now).toISOString() };
}

/** Those that ended in the same way together, their sequences as JSON: so many events are recorded by few statements. */
export const sameOutcomes = (outcomes: readonly Outcome[]) =>
  grouped(outcomes, ({ status, error }) => `${status} ${error}`).map((same) => {
    const { status, error } = same[0] as Outcome;
    return { status, last_error: error, sequences: sequencesOf(same.map(({ delivery }) => delivery)) };
  });

/** As JSON. */
export const sequencesOf = (events: readonly { readonly sequence: number }[]): string =>
  JSON.stringify(events.map((event) => event.sequence));

export function grouped<T>(values: readonly T[], key: (value: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group) group.push(value);
    else groups.set(key(value), [value]);
  }
  return [...groups.values()];
}
