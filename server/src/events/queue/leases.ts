import { present } from "@tunnelplane/sdk/contract";
import { pipelined, type Transaction } from "../../storage";
import { grouped, newId } from "../../util";
import {
  type Batch,
  type LeasedBatch,
  type LeaseOptions,
  leasable,
  leaseEnd,
  mostOf,
  type Outcome,
  outcomesOf,
  requestsOf,
  type SentBatch,
  sameOutcomes,
  sequencesOf,
} from "../delivery/batch";
import {
  lockDestination,
  moveCursors,
  type NewEvent,
  newEvents,
  positionOf,
  WINDOW,
  type Window,
} from "./cursors";
import {
  behind,
  dueDeliveries,
  endLease,
  insertDeliveries,
  oldestOfAll,
  oldestOfEach,
  recordAttempt,
  setDue,
  setDueAndLease,
} from "./deliveries";

// Events that wait behind others fill no batch, so one lease may search several windows. This limits them per
// transaction.
const MAX_LOOKUPS = 10;

/**
 * Leases one batch of what is due at a destination, then of new events. Undefined when nothing is due. The
 * transaction has locked the destination.
 */
export async function lease(
  transaction: Transaction,
  options: LeaseOptions,
): Promise<LeasedBatch | undefined> {
  return (await leaseDue(transaction, options)) ?? (await leaseNew(transaction, options));
}

/** Leases deliveries that wait and are due: after a failure, a replay, or a lease that expired. */
async function leaseDue(transaction: Transaction, options: LeaseOptions): Promise<LeasedBatch | undefined> {
  const { destination, target, now } = options;
  const most = mostOf(target);
  const due = await dueDeliveries(transaction, { destination, now: now.toISOString(), most });
  if (due.length === 0) return undefined;
  const found = await (target.atomic ? oldestOfAll : oldestOfEach)(transaction, {
    destination,
    objects: objectsOf(due),
    most,
  });
  const requests = requestsOf(options, found);
  const deliveries = found.slice(0, requests.flat().length).map(leasable);
  const taken = { destination, lease: newId("lease") };
  const tried = new Set(deliveries.map(({ object_id }) => object_id));
  const before = sequencesOf(due.filter(({ object_id }) => tried.has(object_id)));
  // Of an object whose older events are replayed, a later delivery may have said that it is due.
  await setDueAndLease(transaction, { destination, sequences: before, due_at: null, lease: null });
  const sequences = sequencesOf(firstOfEach(deliveries));
  await setDueAndLease(transaction, { ...taken, sequences, due_at: leaseEnd(now) });
  const more = due.length === most || deliveries.length < found.length;
  return { batch: { ...taken, deliveries, more }, requests };
}

/** Leases new events. One whose object has others waiting or in flight waits behind them. */
async function leaseNew(transaction: Transaction, options: LeaseOptions): Promise<LeasedBatch | undefined> {
  const { destination, target, now } = options;
  const most = mostOf(target);
  const { position: start, head } = present((await positionOf(transaction, { destination }))[0]);
  if (start === null) return undefined;
  let position = start;
  for (let look = 0; look < MAX_LOOKUPS && position < head; look++) {
    const until = Math.min(head, position + WINDOW);
    const events = await eventsUntil(transaction, { destination, position, until, most });
    const { first, requests, rest, behind } = divide(options, events);
    position = rest ? rest.sequence - 1 : (events.length === most && events.at(-1)?.sequence) || until;
    const taken = { destination, lease: newId("lease") };
    const leased = new Set(firstOfEach(first));
    const others = [...first, ...behind].filter((event) => !leased.has(event));
    await pipelined([
      moveCursors(transaction, { destination, position }),
      insert(transaction, [...leased], { ...taken, due_at: leaseEnd(now) }),
      insert(transaction, others, { destination, lease: null, due_at: null }),
    ]);
    if (first.length === 0) continue;
    return { batch: { ...taken, deliveries: first.map(leasable), more: position < head }, requests };
  }
  // End this transaction to let others run; the next lease searches on.
  const nothing: Batch = { lease: "", destination, deliveries: [], more: true };
  return position < head ? { batch: nothing, requests: [] } : undefined;
}

/**
 * Reads new events. Usually all are wanted, so a small window is read first: PostgreSQL sorts a whole window
 * before its first row.
 */
async function eventsUntil(transaction: Transaction, window: Window): Promise<NewEvent[]> {
  const { position, until, most } = window;
  const near = Math.min(until, position + most);
  const events = await newEvents(transaction, { ...window, until: near });
  if (events.length === most || near === until) return events;
  return [
    ...events,
    ...(await newEvents(transaction, { ...window, position: near, most: most - events.length })),
  ];
}

/**
 * Divides events into those that fit this batch, the first that does not fit, and those before it that must
 * wait for others of their object.
 */
function divide(options: LeaseOptions, events: readonly NewEvent[]) {
  const free: NewEvent[] = [];
  const behind: NewEvent[] = [];
  const taken = new Set<string>();
  for (const event of events) {
    if (event.waits || taken.has(event.object_id)) behind.push(event);
    else {
      free.push(event);
      // A target that is not atomic might accept the later of two events and refuse the earlier.
      if (!options.target.atomic) taken.add(event.object_id);
    }
  }
  const requests = requestsOf(options, free);
  const first = free.slice(0, requests.flat().length);
  const rest = free[first.length];
  return {
    first,
    requests,
    rest,
    behind: rest ? behind.filter(({ sequence }) => sequence < rest.sequence) : behind,
  };
}

async function insert(
  transaction: Transaction,
  events: readonly NewEvent[],
  taken: { destination: string; lease: string | null; due_at: string | null },
): Promise<void> {
  if (events.length === 0) return;
  const rows = JSON.stringify(events.map(({ sequence, object_id }) => [sequence, object_id]));
  await insertDeliveries(transaction, { ...taken, events: rows });
}

/**
 * Records the result of each event of a batch: delivered, retried later, or given up. Changes nothing if the
 * lease expired and another worker took the events over. The transaction has locked the destination.
 * @param random spreads the retries, from 0 up to 1
 */
export async function record(
  transaction: Transaction,
  sent: SentBatch,
  now: Date,
  random: number,
): Promise<void> {
  const { destination, lease, deliveries } = sent.batch;
  const outcomes = outcomesOf(sent, now, random);
  const leased = new Set(firstOfEach(deliveries));
  const held = new Set<string>();
  const recordAll = async (group: readonly Outcome[], of: string | null) => {
    for (const equal of sameOutcomes(group)) {
      const attempt = { destination, lease: of, at: now.toISOString(), ...equal };
      for (const { object_id } of await recordAttempt(transaction, attempt)) held.add(object_id);
    }
  };
  await recordAll(
    outcomes.filter(({ delivery }) => leased.has(delivery)),
    lease,
  );
  await recordAll(
    outcomes.filter(({ delivery }) => !leased.has(delivery) && held.has(delivery.object_id)),
    null,
  );
  // Mostly everything was delivered and nothing waits behind it; PostgreSQL would look for each object.
  if ((await behind(transaction, { destination })).length === 0) return;
  // After a failure the whole object waits.
  const latest = new Map<string, string>();
  for (const { delivery, due } of outcomes) {
    const { object_id } = delivery;
    if (held.has(object_id) && due > (latest.get(object_id) ?? "")) latest.set(object_id, due);
  }
  for (const [due, same] of grouped(latest, ([, time]) => time))
    await setDue(transaction, { destination, objects: JSON.stringify(same.map(([object]) => object)), due });
}

/** Gives a batch back that was not tried. */
export async function release(
  transaction: Transaction,
  { destination, lease, deliveries }: Batch,
  now: Date,
): Promise<void> {
  await lockDestination(transaction, destination);
  const sequences = sequencesOf(firstOfEach(deliveries));
  await endLease(transaction, { destination, lease, sequences, now: now.toISOString() });
}

/** The first of each object: the lease is in its row. */
function firstOfEach<E extends { readonly object_id: string }>(events: readonly E[]): E[] {
  const seen = new Set<string>();
  return events.filter(({ object_id }) => !seen.has(object_id) && seen.add(object_id));
}

/** The objects of events, as JSON. */
export const objectsOf = (events: readonly { readonly object_id: string }[]): string =>
  JSON.stringify([...new Set(events.map(({ object_id }) => object_id))]);
