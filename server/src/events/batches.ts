import type { Kysely } from "kysely";
import { newId } from "../ids";
import type { Database, DeliveryRow } from "../storage/schema";
import type { Store } from "../storage/store";
import { closeLanes } from "./lanes";
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
export function lease(store: Store, options: LeaseOptions): Promise<Batch | undefined> {
  const { destination, target, now } = options;
  const most = Math.min(target.limits.count, LARGEST_BATCH);
  return store.write(async (transaction) => {
    const lanes = await transaction
      .selectFrom("lane")
      .select("object_id")
      .where("destination_id", "=", destination)
      .where("due_at", "<=", now.toISOString())
      .orderBy("due_at")
      .limit(most)
      .forUpdate()
      .skipLocked()
      .execute();
    if (lanes.length === 0) return undefined;
    const objects = lanes.map((lane) => lane.object_id).sort();
    const waiting = await nextIn(transaction, destination, objects, { several: target.atomic, most });
    if (waiting.length === 0) {
      await closeLanes(transaction, destination, objects);
      return undefined;
    }
    const leasable = waiting.map(({ id, created_at, payload, ...row }) => ({
      ...row,
      event: { id, key: row.object_id, time: new Date(created_at), body: options.bodyOf(payload) },
    }));
    const deliveries = fitting(target, leasable);
    const mark = newId("lease");
    await transaction
      .updateTable("lane")
      .set({ lease: mark, due_at: new Date(now.getTime() + LEASE_MS).toISOString() })
      .where("destination_id", "=", destination)
      .where("object_id", "in", [...new Set(deliveries.map((delivery) => delivery.object_id))])
      .execute();
    return { lease: mark, destination, deliveries, more: lanes.length === most || deliveries.length < waiting.length };
  });
}

/** The oldest waiting delivery of each object, or several of each from the oldest on; in the order of events. */
async function nextIn(
  transaction: Kysely<Database>,
  destination: string,
  objects: readonly string[],
  { several, most }: { several: boolean; most: number },
) {
  const waiting = transaction
    .selectFrom("delivery")
    .innerJoin("event", "event.sequence", "delivery.sequence")
    .select([
      "delivery.sequence",
      "delivery.object_id",
      "delivery.attempts",
      "delivery.first_attempt_at",
      "event.id",
      "event.created_at",
      "event.payload",
    ])
    .where("delivery.destination_id", "=", destination)
    .orderBy("delivery.sequence")
    .limit(most);
  if (several) return waiting.where("delivery.status", "=", "pending").where("delivery.object_id", "in", objects).execute();
  // Looked up one by one, and before what else is needed of them: PostgreSQL would rather join everything with everything.
  const oldest = await transaction
    .selectFrom("lane")
    .select(({ selectFrom }) =>
      selectFrom("delivery as first")
        .select(({ fn }) => fn.min("first.sequence").as("sequence"))
        .whereRef("first.destination_id", "=", "lane.destination_id")
        .whereRef("first.object_id", "=", "lane.object_id")
        .where("first.status", "=", "pending")
        .as("sequence"),
    )
    .where("lane.destination_id", "=", destination)
    .where("lane.object_id", "in", objects)
    .execute();
  const sequences = oldest.flatMap(({ sequence }) => sequence ?? []);
  return sequences.length > 0 ? waiting.where("delivery.sequence", "in", sequences).execute() : [];
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

/**
 * Records what became of a batch, each event by itself: delivered, tried again later, or given up. Changes nothing where the
 * lease has run out and others have taken over.
 * @param results in the order of the batch
 * @param random spreads when failed ones are tried again, from 0 up to 1
 */
export function settle(store: Store, batch: Batch, results: readonly Result[], now: Date, random: number): Promise<void> {
  const outcomes = batch.deliveries.map((delivery, index) => outcomeOf(delivery, results[index] as Result, now, random));
  return store.write(async (transaction) => {
    const held = new Set(await heldObjects(transaction, batch));
    const settled = outcomes.filter(({ object }) => held.has(object));
    for (const same of grouped(settled, ({ row }) => JSON.stringify(row))) {
      await transaction
        .updateTable("delivery")
        .set((same[0] as Outcome).row)
        .where("destination_id", "=", batch.destination)
        .where("status", "=", "pending") // not where it was dropped meanwhile
        .where(
          "sequence",
          "in",
          same.map(({ sequence }) => sequence),
        )
        .execute();
    }
    // Where one event of an object failed, the object waits.
    const waits = new Map(settled.toSorted((a, b) => (a.due < b.due ? -1 : 1)).map(({ object, due }) => [object, { object, due }]));
    for (const same of grouped([...waits.values()], ({ due }) => due)) {
      const objects = same.map(({ object }) => object);
      await transaction
        .updateTable("lane")
        .set({ lease: null, due_at: (same[0] as { due: string }).due })
        .where("destination_id", "=", batch.destination)
        .where("object_id", "in", objects)
        .execute();
    }
    if (held.size > 0) await closeLanes(transaction, batch.destination, [...held]);
  });
}

/** Gives a batch back, because it could not be tried. */
export function release(store: Store, batch: Batch, now: Date): Promise<void> {
  return store.write(async (transaction) => {
    await transaction
      .updateTable("lane")
      .set({ lease: null, due_at: now.toISOString() })
      .where("destination_id", "=", batch.destination)
      .where("object_id", "in", objectsOf(batch))
      .where("lease", "=", batch.lease)
      .execute();
  });
}

async function heldObjects(transaction: Kysely<Database>, batch: Batch): Promise<string[]> {
  const lanes = await transaction
    .selectFrom("lane")
    .select("object_id")
    .where("destination_id", "=", batch.destination)
    .where("object_id", "in", objectsOf(batch))
    .where("lease", "=", batch.lease)
    .orderBy("object_id")
    .forUpdate()
    .execute();
  return lanes.map((lane) => lane.object_id);
}

const objectsOf = ({ deliveries }: Batch): string[] => [...new Set(deliveries.map((delivery) => delivery.object_id))];

interface Outcome {
  readonly sequence: number;
  readonly object: string;
  readonly row: Partial<DeliveryRow>;
  /** When the next event of its object may go. */
  readonly due: string;
}

function outcomeOf({ sequence, object_id, ...before }: Leased, result: Result, now: Date, random: number): Outcome {
  const at = now.toISOString();
  const attempts = before.attempts + 1;
  const tried = { attempts, first_attempt_at: before.first_attempt_at ?? at, last_attempt_at: at };
  if (result.ok) {
    return { sequence, object: object_id, due: at, row: { ...tried, status: "delivered", delivered_at: at, last_error: null } };
  }
  const { permanent, retryAfterMs, error } = result;
  const next = nextAttempt({ attempts, firstAttempt: new Date(tried.first_attempt_at), permanent, retryAfterMs }, now, random);
  const row = { ...tried, status: next ? ("pending" as const) : ("dead" as const), last_error: error };
  return { sequence, object: object_id, due: (next ?? now).toISOString(), row };
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
