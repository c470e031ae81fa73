import { pipelined, type Transaction } from "../../storage";
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

// Events that join an object queue fill no batch, so one lease may search several windows. This limits them
// per transaction.
const MAX_LOOKUPS = 10;

/** The other batches of a destination, and whether it has object queues. */
interface Elsewhere {
  readonly batches: readonly OtherBatch[];
  readonly anyQueue: boolean;
}

/**
 * Leases new events. An event whose object has others under way or waiting joins the object queue instead.
 */
export async function leaseFromLog(
  transaction: Transaction,
  cursor: Cursor,
  { batches, ...others }: Elsewhere,
  options: LeaseOptions,
): Promise<LeasedBatch | undefined> {
  const { destination, target, now } = options;
  const most = mostOf(target);
  const held = holdersIn(batches);
  let { position } = cursor;
  let { anyQueue } = others;
  for (let look = 0; look < MAX_LOOKUPS && position < cursor.head; look++) {
    const until = Math.min(cursor.head, position + WINDOW);
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
    return {
      batch: { lease: own.id, destination, from: "log", deliveries, more: position < cursor.head },
      requests,
    };
  }
  // End this transaction to let others run; the next lease searches on.
  const nothing: Batch = { lease: "", destination, from: "log", deliveries: [], more: true };
  return position < cursor.head ? { batch: nothing, requests: [] } : undefined;
}

/**
 * Reads new events. Usually all are wanted, so a small window is read first: PostgreSQL sorts a whole window
 * before its first row.
 */
async function eventsUntil(transaction: Transaction, window: Window): Promise<Stored[]> {
  const { position, until, most } = window;
  const near = Math.min(until, position + most);
  const events = await nextEvents(transaction, { ...window, until: near });
  if (events.length === most || near === until) return events;
  return [
    ...events,
    ...(await nextEvents(transaction, { ...window, position: near, most: most - events.length })),
  ];
}

/** Leases a batch whose worker died or released it. Undefined if no subscription wants its events now. */
export async function leaseAbandoned(
  transaction: Transaction,
  abandoned: Holder,
  options: LeaseOptions,
): Promise<LeasedBatch | undefined> {
  const { destination, now } = options;
  const own = { id: newId("lease"), leased_until: leaseEnd(now) };
  const before = abandoned.id;
  const [{ sequences } = { sequences: "[]" }] = await sequencesIn(transaction, { id: before });
  const events = await wantedOf(transaction, { destination, sequences });
  if (events.length === 0) {
    await removeBatch(transaction, { id: before });
    await moveLeases(transaction, { before, lease: null, due: now.toISOString() });
    return undefined;
  }
  await moveLeases(transaction, { before, lease: own.id, due: own.leased_until });
  const { first, requests, rest, behind } = divide(options, events, {
    own,
    held: () => undefined,
    queued: new Set(),
  });
  // The destination's limits may be lower now than when the batch was made.
  const over = rest
    ? events.filter(({ sequence }) => sequence >= rest.sequence).map((event) => ({ event, holder: own }))
    : [];
  await queue(transaction, destination, [...behind, ...over]);
  await takeOver(transaction, { before, ...own, sequences: sequencesOf(first) });
  return {
    batch: { lease: own.id, destination, from: "log", deliveries: first.map(leasable), more: true },
    requests,
  };
}

async function queuedAmong(
  transaction: Transaction,
  destination: string,
  events: readonly Stored[],
): Promise<Set<string>> {
  const objects = JSON.stringify(events.map((event) => event.object_id));
  return new Set((await queuesAmong(transaction, { destination, objects })).map((queue) => queue.object_id));
}

interface Behind {
  readonly event: Stored;
  /** The batch to wait for; undefined when the object queue already exists. */
  readonly holder: Holder | undefined;
}

interface Standing {
  /** The batch that is being made. */
  readonly own: Holder;
  /** Finds the other batch that holds an object's events. */
  readonly held: (object: string) => Holder | undefined;
  /** Objects that have a queue. */
  readonly queued: ReadonlySet<string>;
}

/**
 * Divides events into those that fit this batch, the first that does not fit, and those that must wait for
 * others of their object.
 */
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
      // A target that is not atomic might accept the later of two events and refuse the earlier.
      if (!target.atomic) taken.add(object_id);
    }
  }
  const requests = requestsOf(options, free);
  const first = free.slice(0, requests.flat().length);
  const rest = free[first.length];
  return {
    first,
    requests,
    rest,
    behind: rest ? waiting.filter(({ event }) => event.sequence < rest.sequence) : waiting,
  };
}

async function queue(
  transaction: Transaction,
  destination: string,
  behind: readonly Behind[],
): Promise<void> {
  if (behind.length === 0) return;
  const sequences = sequencesOf(behind.map(({ event }) => event));
  await openQueuesBehind(
    transaction,
    destination,
    behind.map(({ event, holder }) => [event.object_id, holder]),
  );
  await rememberWanted(transaction, { destination, sequences, ...UNTRIED });
}

export async function recordFromLog(
  transaction: Transaction,
  sent: SentBatch,
  now: Date,
  random: number,
): Promise<void> {
  const { destination, deliveries, lease } = sent.batch;
  if ((await removeBatch(transaction, { id: lease })) === 0) return;
  const at = now.toISOString();
  const delivered = deliveries.filter((_, index) => sent.results[index]?.ok);
  const failed =
    delivered.length < deliveries.length
      ? outcomesOf(sent, now, random).filter(({ status }) => status !== "delivered")
      : [];
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

async function recordFailures(
  transaction: Transaction,
  destination: string,
  failed: readonly Outcome[],
  at: string,
): Promise<void> {
  for (const same of sameOutcomes(failed)) {
    // Events from the log are on their first attempt.
    await rememberWanted(transaction, { destination, at, attempts: 1, ...same });
    if (same.status === "pending")
      await openQueues(transaction, { destination, sequences: same.sequences, now: at });
  }
  await reschedule(transaction, destination, failed);
}

export async function releaseToLog(transaction: Transaction, { lease }: Batch, now: Date): Promise<void> {
  await expireBatch(transaction, { id: lease, now: now.toISOString() });
}
