import type { Kysely } from "kysely";
import type { Database } from "../../storage/schema";
import { together } from "../../storage/statement";
import type { Batch, LeaseOptions, SentBatch, Taken } from "../delivery/batch";
import { batchesOf, type Feed, lockFeed, type Other } from "./cursors";
import { giveBackToFeed, leaseExpired, leaseFromFeed, settleFromFeed } from "./fromLog";
import { giveBackToLanes, leaseFromLanes, settleFromLanes } from "./fromObjectQueues";
import { someLane } from "./objectQueues";

/**
 * Takes what is due at a destination, as much as goes in one batch: a batch that somebody left, or what waits in lanes, or what is
 * new. Undefined when there is nothing.
 * @param feed the destination's, which the transaction has locked
 */
export async function lease(transaction: Kysely<Database>, feed: Feed, options: LeaseOptions): Promise<Taken | undefined> {
  const { destination, now } = options;
  const [batches, [lane]] = await together([batchesOf(transaction, { destination }), someLane(transaction, { destination })]);
  const at = now.toISOString();
  // Those that were left come first, because lanes that wait for one of them are due when it is.
  const isLeft = (batch: Other) => batch.leased_until <= at;
  for (const left of batches.filter(isLeft)) {
    const taken = await leaseExpired(transaction, left, options);
    if (taken) return taken;
  }
  const waiting = lane && (await leaseFromLanes(transaction, options));
  return (
    waiting ??
    leaseFromFeed(transaction, feed, { batches: batches.filter((batch) => !isLeft(batch)), anyLane: lane !== undefined }, options)
  );
}

/**
 * Records what became of a batch, each event by itself: delivered, tried again later, or given up. Changes nothing where the
 * lease has run out and others have taken over. The transaction has locked the destination's feed.
 * @param random spreads when failed ones are tried again, from 0 up to 1
 */
export async function settle(transaction: Kysely<Database>, sent: SentBatch, now: Date, random: number): Promise<void> {
  await (sent.batch.from === "feed" ? settleFromFeed : settleFromLanes)(transaction, sent, now, random);
}

/** Gives a batch back, because it could not be tried. */
export async function giveBack(transaction: Kysely<Database>, batch: Batch, now: Date): Promise<void> {
  if (!(await lockFeed(transaction, batch.destination))) return;
  await (batch.from === "feed" ? giveBackToFeed : giveBackToLanes)(transaction, batch, now);
}
