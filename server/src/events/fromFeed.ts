import type { Kysely } from "kysely";
import { newId } from "../ids";
import type { Database } from "../storage/schema";
import { together } from "../storage/statement";
import {
  type Batch,
  fitting,
  type Leased,
  type LeaseOptions,
  leasable,
  leaseEnd,
  mostOf,
  type Outcome,
  objectsOf,
  outcomesOf,
  type SentBatch,
  type Stored,
  sameOutcomes,
  sequencesOf,
} from "./batch";
import { rememberWanted, UNTRIED } from "./deliveries";
import {
  expireBatch,
  expiredBatch,
  type Feed,
  type Holder,
  holdersOf,
  insertBatch,
  insertSent,
  moveFeed,
  nextEvents,
  removeBatch,
  takeOver,
  WINDOW,
  wantedOf,
} from "./feeds";
import { letGo } from "./fromLanes";
import { lanesAmong, moveLeases, openLanes, openLanesBehind } from "./lanes";

// What goes behind other events of its object fills no batch; so many windows or batches are looked through in one transaction.
const MOST_LOOKS = 10;

/** Takes new events, or none where all that it found has to wait. What may not go before others of its object is put behind them, in lanes. */
export async function leaseFromFeed(transaction: Kysely<Database>, feed: Feed, options: LeaseOptions): Promise<Batch | undefined> {
  const { destination, target, now } = options;
  const most = mostOf(target);
  let { position } = feed;
  for (let look = 0; look < MOST_LOOKS && position < feed.head; look++) {
    const until = Math.min(feed.head, position + WINDOW);
    const own = { id: newId("lease"), leased_until: leaseEnd(now) };
    const [events, held] = await together([
      nextEvents(transaction, { destination, position, until, most }),
      holdersOf(transaction, destination),
    ]);
    const objects = objectsOf(events);
    const queued = new Set((await lanesAmong(transaction, { destination, objects })).map((lane) => lane.object_id));
    const { first, rest, behind } = divide(options, events, { own, held, queued });
    position = rest ? rest.sequence - 1 : (events.length === most && events.at(-1)?.sequence) || until;
    const batch = { ...own, destination_id: destination, sequences: sequencesOf(first), objects: objectsOf(first) };
    await together([
      moveFeed(transaction, { destination, position }),
      queue(transaction, destination, behind),
      ...(first.length > 0 ? [insertBatch(transaction, batch)] : []),
    ]);
    if (first.length === 0) continue;
    return { lease: own.id, destination, from: "feed", deliveries: first, more: position < feed.head };
  }
  // Others may want to go on; there is more to look through.
  return position < feed.head ? { lease: "", destination, from: "feed", deliveries: [], more: true } : undefined;
}

/** Takes a batch that a dispatcher was killed with, or gave back. */
export async function leaseExpired(transaction: Kysely<Database>, options: LeaseOptions): Promise<Batch | undefined> {
  const { destination, now } = options;
  const [expired] = await expiredBatch(transaction, { destination, now: now.toISOString() });
  if (!expired) return undefined;
  const own = { id: newId("lease"), leased_until: leaseEnd(now) };
  const { id: before, objects, sequences } = expired;
  const events = await wantedOf(transaction, { destination, sequences });
  if (events.length === 0) {
    await removeBatch(transaction, { id: before });
    await moveLeases(transaction, { destination, objects, before, lease: null, due: now.toISOString() });
    return leaseExpired(transaction, options);
  }
  await moveLeases(transaction, { destination, objects, before, lease: own.id, due: own.leased_until });
  const { first, rest, behind } = divide(options, events, { own, held: new Map(), queued: new Set() });
  // The destination may take less at once than when the batch was made.
  const over = rest ? events.filter(({ sequence }) => sequence >= rest.sequence).map((event) => ({ event, holder: own })) : [];
  await queue(transaction, destination, [...behind, ...over]);
  await takeOver(transaction, { before, ...own, sequences: sequencesOf(first), objects });
  return { lease: own.id, destination, from: "feed", deliveries: first, more: true };
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
  readonly held: ReadonlyMap<string, Holder>;
  /** Objects that have lanes. */
  readonly queued: ReadonlySet<string>;
}

/** Which events go in a batch now, the first of those that no longer fit, and which have to wait for others of their objects. */
function divide(options: LeaseOptions, events: readonly Stored[], { own, held, queued }: Standing) {
  const { target } = options;
  const free: Leased[] = [];
  const waiting: Behind[] = [];
  const taken = new Set<string>();
  for (const event of events) {
    const { object_id } = event;
    const holder = held.get(object_id) ?? (taken.has(object_id) ? own : undefined);
    if (holder || queued.has(object_id)) waiting.push({ event, holder });
    else {
      free.push(leasable(options, event));
      // In others a later one might be accepted while an earlier one is not.
      if (!target.atomic) taken.add(object_id);
    }
  }
  const first = fitting(target, free.slice(0, mostOf(target)));
  const rest = free[first.length];
  return { first, rest, behind: rest ? waiting.filter(({ event }) => event.sequence < rest.sequence) : waiting };
}

async function queue(transaction: Kysely<Database>, destination: string, behind: readonly Behind[]): Promise<void> {
  if (behind.length === 0) return;
  const sequences = sequencesOf(behind.map(({ event }) => event));
  const held = behind.flatMap(({ event, holder }) => (holder ? [[event.object_id, holder] as const] : []));
  await openLanesBehind(transaction, destination, held);
  await rememberWanted(transaction, { destination, sequences, ...UNTRIED });
}

export async function settleFromFeed(transaction: Kysely<Database>, sent: SentBatch, now: Date, random: number): Promise<void> {
  const { destination, deliveries, lease } = sent.batch;
  if ((await removeBatch(transaction, { id: lease })) === 0) return;
  const at = now.toISOString();
  const outcomes = outcomesOf(sent, now, random);
  const failed = outcomes.filter(({ status }) => status !== "delivered");
  const delivered = outcomes.filter(({ status }) => status === "delivered").map(({ delivery }) => delivery);
  await together([
    moveLeases(transaction, { destination, objects: objectsOf(deliveries), before: lease, lease: null, due: at }),
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
    if (same.status === "pending") await openLanes(transaction, { destination, sequences: same.sequences, now: at });
  }
  await letGo(transaction, destination, failed);
}

export async function giveBackToFeed(transaction: Kysely<Database>, { lease }: Batch, now: Date): Promise<void> {
  await expireBatch(transaction, { id: lease, now: now.toISOString() });
}
