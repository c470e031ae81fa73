import { present } from "@tunnelplane/sdk/contract";
import type { Database, DeliveryRow } from "../../storage";
import { grouped } from "../../util";
import type { DeliveryTarget, Outgoing } from "../targets";
import type { Sent } from "../targets/target";
import { nextAttempt } from "./retry";

/**
 * If a worker dies, its lease expires and another retries the batch. Longer than any batch may take (30 s).
 */
const LEASE_MS = 60_000;

// Bounds memory: a payload has a few KB.
const MAX_BATCH_SIZE = 2000;

/**
 * Requests of one batch that are sent at once. Leasing and recording cost one transaction each, whatever the
 * size of the batch.
 */
export const REQUESTS = 4;

/** An event that is being delivered. */
export type LeasedEvent = Pick<DeliveryRow, "sequence" | "object_id" | "attempts" | "first_attempt_at">;

/** Events that one worker has leased, in order. */
export interface Batch {
  readonly lease: string;
  readonly destination: string;
  readonly deliveries: readonly LeasedEvent[];
  /** Whether more is due than fits into one batch. */
  readonly more: boolean;
}

/** A leased batch with its requests. */
export interface LeasedBatch {
  readonly batch: Batch;
  /** The events of its deliveries, in the same order, grouped into requests. */
  readonly requests: Outgoing[][];
}

/** The result of one event of a batch. */
export type Result = Sent;

/** A batch that was sent, with the result of each event, in order. */
export interface SentBatch {
  readonly batch: Batch;
  readonly results: readonly Result[];
}

export interface LeaseOptions {
  readonly destination: string;
  /** The service to send to. */
  readonly target: DeliveryTarget;
  readonly now: Date;
  /** Turns a stored payload into the text to send. */
  readonly bodyOf: (payload: string) => string;
}

/**
 * A batch with several events of one object must be one request: of two requests, the service might accept
 * only the later.
 */
const requestsIn = ({ atomic }: DeliveryTarget): number => (atomic ? 1 : REQUESTS);

/** How many events a batch has at most. */
export const mostOf = (target: DeliveryTarget): number =>
  Math.min(target.limits.count * requestsIn(target), MAX_BATCH_SIZE);

/** When a lease that begins now expires. */
export const leaseEnd = (now: Date): string => new Date(now.getTime() + LEASE_MS).toISOString();

/** An event as the database stores it, with its earlier attempts, if any. */
export type Stored = Pick<Database["event"], "sequence" | "object_id" | "id" | "created_at" | "payload"> &
  Partial<Pick<DeliveryRow, "attempts" | "first_attempt_at">>;

export const leasable = ({
  sequence,
  object_id,
  attempts = 0,
  first_attempt_at = null,
}: Stored): LeasedEvent => ({ sequence, object_id, attempts, first_attempt_at });

/** Groups the first events into requests, as many as one batch takes. */
export function requestsOf({ target, bodyOf }: LeaseOptions, events: readonly Stored[]): Outgoing[][] {
  const { limits } = target;
  const requests: Outgoing[][] = [];
  let request: Outgoing[] = [];
  let bytes = 0;
  for (const { id, object_id, created_at, payload } of events) {
    const event = { id, key: object_id, time: created_at, body: bodyOf(payload) };
    const size = target.sizeOf(event);
    // An event that is too large for any request is refused unsent, so it takes no room.
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

/** The record of one event of a batch. */
export interface Outcome {
  readonly delivery: LeasedEvent;
  readonly status: DeliveryRow["status"];
  readonly error: string | null;
  /** When the next event of its object may go. */
  readonly due: string;
}

/** @param random spreads the retries, from 0 up to 1 */
export function outcomesOf({ batch, results }: SentBatch, now: Date, random: number): Outcome[] {
  const due = now.toISOString();
  return batch.deliveries.map((delivery, index): Outcome => {
    const result = present(results[index]);
    return result.ok
      ? { delivery, status: "delivered", error: null, due }
      : failureOf(delivery, result, now, random);
  });
}

function failureOf(
  delivery: LeasedEvent,
  result: Extract<Result, { ok: false }>,
  now: Date,
  random: number,
): Outcome {
  const { permanent, retryAfterMs, error } = result;
  const firstAttempt = delivery.first_attempt_at === null ? now : new Date(delivery.first_attempt_at);
  const next = nextAttempt(
    { attempts: delivery.attempts + 1, firstAttempt, permanent, retryAfterMs },
    now,
    random,
  );
  return { delivery, status: next ? "pending" : "dead", error, due: (next ?? now).toISOString() };
}

/** Groups equal outcomes, with their sequences as JSON, so that a few statements record many events. */
export const sameOutcomes = (outcomes: readonly Outcome[]) =>
  [...grouped(outcomes, ({ status, error }) => `${status} ${error}`).values()].map((same) => {
    const { status, error } = present(same[0]);
    return { status, last_error: error, sequences: sequencesOf(same.map(({ delivery }) => delivery)) };
  });

/** The sequences of events, as JSON. */
export const sequencesOf = (events: readonly { readonly sequence: number }[]): string =>
  JSON.stringify(events.map((event) => event.sequence));
