import { pipelined, type Transaction } from "../../storage";
import type { Batch, LeasedBatch, LeaseOptions, SentBatch } from "../delivery/batch";
import { batchesOf, type Cursor, lockCursor, type OtherBatch } from "./cursors";
import { leaseAbandoned, leaseFromLog, recordFromLog, releaseToLog } from "./fromLog";
import { leaseFromQueues, recordFromQueues, releaseToQueues } from "./fromObjectQueues";
import { someQueue } from "./objectQueues";

/**
 * Leases one batch of what is due at a destination: an abandoned batch first, then object queues, then new
 * events. Undefined when nothing is due.
 * @param cursor the destination's cursor, which the transaction has locked
 */
export async function lease(
  transaction: Transaction,
  cursor: Cursor,
  options: LeaseOptions,
): Promise<LeasedBatch | undefined> {
  const { destination, now } = options;
  const [batches, [queue]] = await pipelined([
    batchesOf(transaction, { destination }),
    someQueue(transaction, { destination }),
  ]);
  const at = now.toISOString();
  // Abandoned batches come first, because object queues that wait for one are due at the same time.
  const isAbandoned = (batch: OtherBatch) => batch.leased_until <= at;
  for (const abandoned of batches.filter(isAbandoned)) {
    const taken = await leaseAbandoned(transaction, abandoned, options);
    if (taken) return taken;
  }
  const waiting = queue && (await leaseFromQueues(transaction, options));
  return (
    waiting ??
    leaseFromLog(
      transaction,
      cursor,
      { batches: batches.filter((batch) => !isAbandoned(batch)), anyQueue: queue !== undefined },
      options,
    )
  );
}

/**
 * Records the result of each event of a batch: delivered, retried later, or given up. Changes nothing if the
 * lease expired and another worker took the batch over. The transaction has locked the destination's cursor.
 * @param random spreads the retries, from 0 up to 1
 */
export async function record(
  transaction: Transaction,
  sent: SentBatch,
  now: Date,
  random: number,
): Promise<void> {
  await (sent.batch.from === "log" ? recordFromLog : recordFromQueues)(transaction, sent, now, random);
}

/** Gives a batch back that was not tried. */
export async function release(transaction: Transaction, batch: Batch, now: Date): Promise<void> {
  if (!(await lockCursor(transaction, batch.destination))) return;
  await (batch.from === "log" ? releaseToLog : releaseToQueues)(transaction, batch, now);
}
