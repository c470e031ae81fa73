import type { Kysely } from "kysely";
import type { Database } from "../storage/schema";
import type { Batch, LeaseOptions, SentBatch } from "./batch";
import { lockFeed } from "./feeds";
import { giveBackToFeed, leaseExpired, leaseFromFeed, settleFromFeed } from "./fromFeed";
import { giveBackToLanes, leaseFromLanes, settleFromLanes } from "./fromLanes";

/**
 * Takes what is due at a destination, as much as goes in one request: a batch that somebody left, or what waits in lanes, or what is
 * new. Undefined when there is nothing.
 */
export async function lease(transaction: Kysely<Database>, options: LeaseOptions): Promise<Batch | undefined> {
  const feed = await lockFeed(transaction, options.destination);
  if (!feed) return undefined;
  // Those that were left come first, because lanes that wait for one of them are due when it is.
  const left = await leaseExpired(transaction, options);
  return left ?? (await leaseFromLanes(transaction, options)) ?? (await leaseFromFeed(transaction, feed, options));
}

/**
 * Records what became of a batch, each event by itself: delivered, tried again later, or given up. Changes nothing where the
 * lease has run out and others have taken over.
 * @param random spreads when failed ones are tried again, from 0 up to 1
 */
export async function settle(transaction: Kysely<Database>, sent: SentBatch, now: Date, random: number): Promise<void> {
  if (!(await lockFeed(transaction, sent.batch.destination))) return;
  await (sent.batch.from === "feed" ? settleFromFeed : settleFromLanes)(transaction, sent, now, random);
}

/** Gives a batch back, because it could not be tried. */
export async function giveBack(transaction: Kysely<Database>, batch: Batch, now: Date): Promise<void> {
  if (!(await lockFeed(transaction, batch.destination))) return;
  await (batch.from === "feed" ? giveBackToFeed : giveBackToLanes)(transaction, batch, now);
}
