import type { Kysely } from "kysely";
import { type Database, pipelined } from "../../storage";
import { newId } from "../../util";
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
  type Stored,
  sameOutcomes,
  sequencesOf,
} from "../delivery/batch";
import {
  type Cursor,
  expireBatch,
  type Holder,
  holdersIn,
  insertBatch,
  insertSent,
  moveCursor,
  nextEvents,
  type OtherBatch,
  objectEndsOf,
  removeBatch,
  sequencesIn,
  takeOver,
  WINDOW,
  type Window,
  wantedOf,
} from "./cursors";
import { rememberWanted, UNTRIED } from "./deliveries";
import { reschedule } from "./fromObjectQueues";
import { moveLeases, openQueues, openQueuesBehind, queuesAmong } from "./objectQueues";

// What goes behind other events of its object fills no batch; so many windows or batches are looked through in one transaction.
const MOST_LOOKS = 10;

/** What else is under way, or waits, at a destination. */
interface Elsewhere {
  readonly batches: readonly OtherBatch[];
  readonly anyQueue: boolean;
}

/** Takes new events, or none where all that it found has to wait. What may not go before others of its object is put behind them, in lanes. */
export async function leaseFromLog(
  transaction: Kysely<Database>,
  feed: Cursor,
  { batches, ...others }: Elsewhere,
  options: LeaseOptions,
): Promise<LeasedBatch | undefined> {
  const { destination, target, now } = options;
  const most = mostOf(target);
  const held = holdersIn(batches);
  let { position } = feed;
  let { anyQueue } = others;
  for (let look = 0; look < MOST_LOOKS && position < feed.head; look++) {
    const until = Math.min(feed.head, position + WINDOW);
    const own = { id: newId("lease"), leased_until: leaseEnd(now) };
    const events = await eventsUntil(transaction, { destination, position, until, most });
    const queued = anyQueue ? await queuedAmong(transaction, destination, events) : new Set<string>();
    const { first, requests, rest, behind } = divide(options, events, { own, held, queued });
    anyQueue ||= behind.length > 0;
    position = rest ? rest.sequence - 1 : (events.length === most && events.at(-1)?.sequence) || until;
    await pipelined([
      moveCursor(transaction, { destination, position }),
      queue(transaction, destination, behind),
      ...(first.length > 0
        ? [
            insertBatch(transaction, {
              ...own,
              destination_id: destination,
              sequences: sequencesOf(first),
              object_ends: objectEndsOf(first),
            }),
          ]
        : []),
    ]);
    if (first.length === 0) continue;
    const deliveries = first.map(leasable);
    return { batch: { lease: own.id, destination, from: "feed", deliveries, more: position < feed.head }, requests };
  }
  // Others may want to go on; there is more to look through.
  const nothing: Batch = { lease: "", destination, from: "feed", deliveries: [], more: true };
  return position < feed.head ? { batch: nothing, requests: [] } : undefined;
}

/** New events up to one. Mostly all are wanted: the near ones come first, because PostgreSQL sorts a window before it gives any of it. */
async function eventsUntil(transaction: Kysely<Database>, window: Window): Promise<Stored[]> {
  const { position, until, most } = window;
  const near = Math.min(until, position + most);
  const events = await nextEvents(transaction, { ...window, until: near });
  if (events.length === most || near === until) return events;
  return [...events, ...(await nextEvents(transaction, { ...window, position: near, most: most - events.length }))];
}

/** Takes a batch that a dispatcher was killed with, or gave back; undefined when nobody asks for its events any more. */
export async function leaseAbandoned(transaction: Kysely<Database>, left: Holder, options: LeaseOptions): Promise<LeasedBatch | undefined> {
  const { destination, now } = options;
  const own = { id: newId("lease"), leased_until: leaseEnd(now) };
  const before = left.id;
  const [{ sequences } = { sequences: "[]" }] = await sequencesIn(transaction, { id: before });
  const events = await wantedOf(transaction, { destination, sequences });
  if (events.length === 0) {
    await removeBatch(transaction, { id: before });
    await moveLeases(transaction, { before, lease: null, due: now.toISOString() });
    return undefined;
  }
  await moveLeases(transaction, { before, lease: own.id, due: own.leased_until });
  const { first, requests, rest, behind } = divide(options, events, { own, held: () => undefined, queued: new Set() });
  // The destination may take less at once than when the batch was made.
  const over = rest ? events.filter(({ sequence }) => sequence >= rest.sequence).map((event) => ({ event, holder: own })) : [];
  await queue(transaction, destination, [...behind, ...over]);
  await takeOver(transaction, { before, ...own, sequences: sequencesOf(first) });
  return { batch: { lease: own.id, destination, from: "feed", deliveries: first.map(leasable), more: true }, requests };
}

async function queuedAmong(transaction: Kysely<Database>, destination: string, events: readonly Stored[]): Promise<Set<string>> {
  const objects = JSON.stringify(events.map((event) => event.object_id));
  return new Set((await queuesAmong(transaction, { destination, objects })).map((lane) => lane.object_id));
}

interface Behind {
  readonly event: Stored;
  /** The batch that it has to wait for; undefined when it waits in a lane that is there already. */
  readonly holder: Holder | undefined;
}

interface Standing {
  /** The batch that is being made. */
  readonly own: Holder;
  /** Objects whose events other batches have. */
  readonly held: (object: string) => Holder | undefined;
  /** Objects that have lanes. */
  readonly queued: ReadonlySet<string>;
}

/** Which events go in a batch now, the first of those that no longer fit, and which have to wait for others of their objects. */
function divide(options: LeaseOptions, events: readonly Stored[], { own, held, queued }: Standing) {
  const { target } = options;
  const free: Stored[] = [];
  const waiting: Behind[] = [];
  const taken = new Set<string>();
  for (const event of events) {
    const { object_id } = event;
    const holder = held(object_id) ?? (taken.has(object_id) ? own : undefined);
    if (holder || queued.has(object_id)) waiting.push({ event, holder });
    else {
      free.push(event);
      // In others a later one might be accepted while an earlier one is not.
      if (!target.atomic) taken.add(object_id);
    }
  }
  const requests = requestsOf(options, free);
  const first = free.slice(0, requests.flat().length);
  const rest = free[first.length];
  return { first, requests, rest, behind: rest ? waiting.filter(({ event }) => event.sequence < rest.sequence) : waiting };
}

async function queue(transaction: Kysely<Database>, destination: string, behind: readonly Behind[]): Promise<void> {
  if (behind.length === 0) return;
  const sequences = sequencesOf(behind.map(({ event }) => event));
  await openQueuesBehind(
    transaction,
    destination,
    behind.map(({ event, holder }) => [event.object_id, holder]),
  );
  await rememberWanted(transaction, { destination, sequences, ...UNTRIED });
}

export async function recordFromLog(transaction: Kysely<Database>, sent: SentBatch, now: Date, random: number): Promise<void> {
  const { destination, deliveries, lease } = sent.batch;
  if ((await removeBatch(transaction, { id: lease })) === 0) return;
  const at = now.toISOString();
  const delivered = deliveries.filter((_, index) => sent.results[index]?.ok);
  const failed = delivered.length < deliveries.length ? outcomesOf(sent, now, random).filter(({ status }) => status !== "delivered") : [];
  await pipelined([
    moveLeases(transaction, { before: lease, lease: null, due: at }),
    ...(delivered[0]
      ? [
          insertSent(transaction, {
            destination_id: destination,
            first: delivered[0].sequence,
            sequences: sequencesOf(delivered),
            delivered_at: at,
          }),
        ]
      : []),
  ]);
  if (failed.length > 0) await recordFailures(transaction, destination, failed, at);
}

async function recordFailures(transaction: Kysely<Database>, destination: string, failed: readonly Outcome[], at: string): Promise<void> {
  for (const same of sameOutcomes(failed)) {
    // What is new has never been tried before.
    await rememberWanted(transaction, { destination, at, attempts: 1, ...same });
    if (same.status === "pending") await openQueues(transaction, { destination, sequences: same.sequences, now: at });
  }
  await reschedule(transaction, destination, failed);
}

export async function releaseToLog(transaction: Kysely<Database>, { lease }: Batch, now: Date): Promise<void> {
  await expireBatch(transaction, { id: lease, now: now.toISOString() });
}
