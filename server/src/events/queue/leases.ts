import type { Kysely } from "kysely";
import { type Database, pipelined } from "../../storage";
import type { Batch, LeasedBatch, LeaseOptions, SentBatch } from "../delivery/batch";
import { batchesOf, type Cursor, lockCursor, type OtherBatch } from "./cursors";
import { leaseAbandoned, leaseFromLog, recordFromLog, releaseToLog } from "./fromLog";
import { leaseFromQueues, recordFromQueues, releaseToQueues } from "./fromObjectQueues";
import { someQueue } from "./objectQueues";

/**
 * Takes what is due at a destination, as much as goes in one batch: a batch that somebody left, or what waits in lanes, or what is
 * new. Undefined when there is nothing.
 * @param feed the destination's, which the transaction has locked
 */
export async function lease(transaction: Kysely<Database>, feed: Cursor, options: LeaseOptions): Promise<LeasedBatch | undefined> {
  const { destination, now } = options;
  const [batches, [lane]] = await pipelined([batchesOf(transaction, { destination }), someQueue(transaction, { destination })]);
  const at = now.toISOString();
  // Those that were left come first, because lanes that wait for one of them are due when it is.
  const isLeft = (batch: OtherBatch) => batch.leased_until <= at;
  for (const left of batches.filter(isLeft)) {
    const taken = await leaseAbandoned(transaction, left, options);
    if (taken) return taken;
  }
  const waiting = lane && (await leaseFromQueues(transaction, options));
  return (
    waiting ??
    leaseFromLog(transaction, feed, { batches: batches.filter((batch) => !isLeft(batch)), anyQueue: lane !== undefined }, options)
  );
}

/**
 * Records what became of a batch, each event by itself: delivered, tried again later, or given up. Changes nothing where the
 * lease has run out and others have taken over. The transaction has locked the destination's feed.
 * @param random spreads when failed ones are tried again, from 0 up to 1
 */
export async function record(transaction: Kysely<Database>, sent: SentBatch, now: Date, random: number): Promise<void> {
  await (sent.batch.from === "feed" ? recordFromLog : recordFromQueues)(transaction, sent, now, random);
}

/** Gives a batch back, because it could not be tried. */
export async function release(transaction: Kysely<Database>, batch: Batch, now: Date): Promise<void> {
  if (!(await lockCursor(transaction, batch.destination))) return;
  await (batch.from === "feed" ? releaseToLog : releaseToQueues)(transaction, batch, now);
}
