import type { Kysely } from "kysely";
import { newId } from "../ids";
import type { Database, DeliveryRow } from "../storage/schema";
import { oldestOfAll, oldestOfEach, recordAttempt } from "./deliveries";
import { closeLanes, lockDueLanes, lockLeasedLanes, setLanes } from "./lanes";
import { nextAttempt } from "./retry";
import type { Outgoing, Target } from "./targets";
import type { Sent } from "./targets/target";

/** How long others leave a batch alone; a dispatcher that was killed cannot give it back. Longer than any batch may take (30 s). */
export const LEASE_MS = 60_000;

// More would hold too much at once: payloads have a few KB each.
const LARGEST_BATCH = 1000;

/** An event that is being delivered. */
export interface Leased extends Pick<DeliveryRow, "sequence" | "object_id" | "attempts" | "first_attempt_at"> {
  readonly event: Outgoing;
}

/** What one dispatcher alone delivers for now, in order. */
export interface Batch {
  readonly lease: string;
  readonly destination: string;
  readonly deliveries: readonly Leased[];
  /** Whether there was more than one batch takes. */
  readonly more: boolean;
}

/** What became of an event of a batch. */
export type Result = Sent & { readonly retryAfterMs?: number };

export interface LeaseOptions {
  readonly destination: string;
  /** What it takes in one request. */
  readonly target: Target;
  readonly now: Date;
  /** Makes an event's text to be sent from what is stored. */
  readonly bodyOf: (payload: string) => string;
}

/** Takes what is due at a destination, as much as goes in one request. Undefined when nothing is. */
export async function lease(transaction: Kysely<Database>, options: LeaseOptions): Promise<Batch | undefined> {
  const { destination, target, now } = options;
  const most = Math.min(target.limits.count, LARGEST_BATCH);
  const lanes = await lockDueLanes(transaction, { destination, now: now.toISOString(), most });
  if (lanes.length === 0) return undefined;
  const objects = JSON.stringify(lanes.map((lane) => lane.object_id));
  const waiting = await (target.atomic ? oldestOfAll : oldestOfEach)(transaction, { destination, objects, most });
  if (waiting.length === 0) {
    await closeLanes(transaction, { destination, objects });
    return undefined;
  }
  const leasable = waiting.map(({ sequence, object_id, attempts, first_attempt_at, id, created_at, payload }) => {
    const event = { id, key: object_id, time: new Date(created_at), body: options.bodyOf(payload) };
    return { sequence, object_id, attempts, first_attempt_at, event };
  });
  const deliveries = fitting(target, leasable);
  const batch = { lease: newId("lease"), destination, deliveries, more: lanes.length === most || deliveries.length < waiting.length };
  const due = new Date(now.getTime() + LEASE_MS).toISOString();
  await setLanes(transaction, { destination, objects: objectsOf(batch), lease: batch.lease, due });
  return batch;
}

/** As many from the start as one request holds. One that is too large for any request is refused without being sent, and takes no room. */
function fitting({ limits, sizeOf }: Target, deliveries: readonly Leased[]): Leased[] {
  let bytes = 0;
  const end = deliveries.findIndex(({ event }, index) => {
    const size = sizeOf(event);
    bytes += size > limits.recordBytes ? 0 : size;
    return index > 0 && bytes > limits.bytes;
  });
  return deliveries.slice(0, end < 0 ? undefined : end);
}

/** A batch that was sent, and what became of each of its events, in order. */
export interface SentBatch {
  readonly batch: Batch;
  readonly results: readonly Result[];
}

/**
 * Records what became of a batch, each event by itself: delivered, tried again later, or given up. Changes nothing where the
 * lease has run out and others have taken over.
 * @param random spreads when failed ones are tried again, from 0 up to 1
 */
export async function settle(transaction: Kysely<Database>, { batch, results }: SentBatch, now: Date, random: number): Promise<void> {
  const { destination, deliveries, lease } = batch;
  const lanes = await lockLeasedLanes(transaction, { destination, objects: objectsOf(batch), lease });
  if (lanes.length === 0) return;
  const held = new Set(lanes.map((lane) => lane.object_id));
  const at = now.toISOString();
  const outcomes = deliveries.flatMap((delivery, index) => {
    if (!held.has(delivery.object_id)) return [];
    const result = results[index] as Result;
    return result.ok ? { delivery, status: "delivered" as const, error: null, due: at } : failureOf(delivery, result, now, random);
  });
  for (const same of grouped(outcomes, ({ status, error }) => `${status} ${error}`)) {
    const { status, error } = same[0] as Outcome;
    const sequences = JSON.stringify(same.map(({ delivery }) => delivery.sequence));
    const delivered_at = status === "delivered" ? at : null;
    await recordAttempt(transaction, { destination, sequences, at, status, last_error: error, delivered_at });
  }
  const closed = await closeLanes(transaction, { destination, objects: JSON.stringify([...held]) });
  if (closed < held.size) await release(transaction, destination, outcomes);
}

/** Says when the next event of each object may go. Where one of an object failed, the object waits. */
async function release(transaction: Kysely<Database>, destination: string, outcomes: readonly Outcome[]): Promise<void> {
  const latest = new Map<string, string>();
  for (const { delivery, due } of outcomes) {
    if (due > (latest.get(delivery.object_id) ?? "")) latest.set(delivery.object_id, due);
  }
  for (const same of grouped([...latest], ([, due]) => due)) {
    const [, due] = same[0] as [string, string];
    await setLanes(transaction, { destination, objects: JSON.stringify(same.map(([object]) => object)), lease: null, due });
  }
}

/** Gives a batch back, because it could not be tried. */
export async function giveBack(transaction: Kysely<Database>, batch: Batch, now: Date): Promise<void> {
  const { destination, lease } = batch;
  const lanes = await lockLeasedLanes(transaction, { destination, objects: objectsOf(batch), lease });
  const objects = JSON.stringify(lanes.map((lane) => lane.object_id));
  await setLanes(transaction, { destination, objects, lease: null, due: now.toISOString() });
}

/** As JSON. */
const objectsOf = ({ deliveries }: Pick<Batch, "deliveries">): string =>
  JSON.stringify([...new Set(deliveries.map((delivery) => delivery.object_id))]);

interface Outcome {
  readonly delivery: Leased;
  readonly status: DeliveryRow["status"];
  readonly error: string | null;
  /** When the next event of its object may go. */
  readonly due: string;
}

function failureOf(delivery: Leased, result: Extract<Result, { ok: false }>, now: Date, random: number): Outcome {
  const { permanent, retryAfterMs, error } = result;
  const firstAttempt = delivery.first_attempt_at === null ? now : new Date(delivery.first_attempt_at);
  const next = nextAttempt({ attempts: delivery.attempts + 1, firstAttempt, permanent, retryAfterMs }, now, random);
  return { delivery, status: next ? "pending" : "dead", error, due: (next ?? now).toISOString() };
}

function grouped<T>(values: readonly T[], key: (value: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group) group.push(value);
    else groups.set(key(value), [value]);
  }
  return [...groups.values()];
}
