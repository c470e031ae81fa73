import type { Kysely } from "kysely";
import { type Database, isListed, type Store } from "../../storage";
import { sequencesOf } from "../delivery/batch";
import { CLOCKS_MS } from "../queue/clocks";
import { batchesOf, holdersIn, lockCursor } from "../queue/cursors";
import { remember, UNTRIED } from "../queue/deliveries";
import { openQueues, openQueuesBehind } from "../queue/objectQueues";

/** Which of a destination's events are sent again: those given up, or all that were sent or given up since a time. */
export type Replayed = { readonly deadLetters: true } | { readonly since: Date };

// A transaction of its own for each so many, so that changes need not wait for long.
const PAGE = 1000;

/** What one transaction makes wait again: how many events, and where the next goes on, if there is more. */
interface Replay {
  readonly count: number;
  readonly next: number | undefined;
}

/** Sends events again, each with the id that it had, and counts them. What waits anyway is not counted. */
export async function replay(store: Store, destination: string, which: Replayed, now: Date): Promise<number> {
  const again = (page: (transaction: Kysely<Database>, after: number) => Promise<Replay>, start: number) =>
    untilEnd(start, (after) =>
      store.write(async (transaction) =>
        (await lockCursor(transaction, destination)) ? page(transaction, after) : { count: 0, next: undefined },
      ),
    );
  const at = now.toISOString();
  const remembered = await again((transaction, after) => replayRemembered(transaction, destination, which, after, at), 0);
  if ("deadLetters" in which) return remembered;
  const range = await rangeOf(store.reader, destination, which.since);
  if (!range) return remembered;
  const { first, last } = range;
  return (
    remembered +
    (await again((transaction, after) => replaySent(transaction, { destination, since: which.since, after, last }, at), first - 1))
  );
}

async function untilEnd(start: number, page: (after: number) => Promise<Replay>): Promise<number> {
  let total = 0;
  for (let after: number | undefined = start; after !== undefined; ) {
    const { count, next } = await page(after);
    total += count;
    after = next;
  }
  return total;
}

/** Those that did not simply go. */
async function replayRemembered(
  transaction: Kysely<Database>,
  destination: string,
  which: Replayed,
  after: number,
  now: string,
): Promise<Replay> {
  let chosen = transaction
    .selectFrom("delivery")
    .innerJoin("event", "event.sequence", "delivery.sequence")
    .select(["delivery.sequence", "delivery.object_id"])
    .where("destination_id", "=", destination)
    .where("delivery.sequence", ">", after);
  if ("deadLetters" in which) chosen = chosen.where("status", "=", "dead");
  else chosen = chosen.where("status", "in", ["delivered", "dead"]).where("event.created_at", ">=", which.since.toISOString());
  const rows = await chosen.orderBy("delivery.sequence").limit(PAGE).execute();
  const last = rows.at(-1);
  if (!last) return { count: 0, next: undefined };
  const sequences = sequencesOf(rows);
  await transaction
    .updateTable("delivery")
    .set({ status: "pending", attempts: 0, first_attempt_at: null, delivered_at: null })
    .where("destination_id", "=", destination)
    .where(isListed(transaction, "sequence", sequences, "bigint"))
    .execute();
  await line(transaction, destination, rows, now);
  return { count: rows.length, next: rows.length < PAGE ? undefined : last.sequence };
}

/** Opens the lanes in which they wait: due now, or when a batch is through that has an event of the same object. */
async function line(
  transaction: Kysely<Database>,
  destination: string,
  events: readonly { readonly sequence: number; readonly object_id: string }[],
  now: string,
): Promise<void> {
  const holderOf = holdersIn(await batchesOf(transaction, { destination }));
  await openQueuesBehind(
    transaction,
    destination,
    events.map(({ object_id }) => [object_id, holderOf(object_id)]),
  );
  await openQueues(transaction, { destination, sequences: sequencesOf(events), now });
}

/** The batches that may have events since then: an event is delivered after it happened. What is delivered from now on is none of them. */
async function rangeOf(db: Kysely<Database>, destination: string, since: Date): Promise<{ first: number; last: number } | undefined> {
  const { first, last } = await db
    .selectFrom("sent")
    .select(({ fn }) => [fn.min("first").as("first"), fn.max("first").as("last")])
    .where("destination_id", "=", destination)
    .where("delivered_at", ">=", new Date(since.getTime() - CLOCKS_MS).toISOString())
    .executeTakeFirstOrThrow();
  return first === null ? undefined : { first, last };
}

interface Range {
  readonly destination: string;
  readonly since: Date;
  readonly after: number;
  readonly last: number;
}

/** A batch of those that were delivered at once. */
async function replaySent(transaction: Kysely<Database>, { destination, since, after, last }: Range, now: string): Promise<Replay> {
  const batch = await transaction
    .selectFrom("sent")
    .selectAll()
    .where("destination_id", "=", destination)
    .where("first", ">", after)
    .where("first", "<=", last)
    .orderBy("first")
    .limit(1)
    .executeTakeFirst();
  if (!batch) return { count: 0, next: undefined };
  const events = await transaction
    .selectFrom("event")
    .select(["sequence", "object_id"])
    .where(isListed(transaction, "sequence", batch.sequences, "bigint"))
    .where("created_at", ">=", since.toISOString())
    .orderBy("sequence")
    .forUpdate() // so that they are not removed meanwhile because they are old
    .execute();
  await remember(transaction, { destination, sequences: sequencesOf(events), ...UNTRIED });
  await line(transaction, destination, events, now);
  const again = new Set(events.map(({ sequence }) => sequence));
  const left = (JSON.parse(batch.sequences) as number[]).filter((sequence) => !again.has(sequence));
  const sequences = JSON.stringify(left);
  if (left.length === 0)
    await transaction.deleteFrom("sent").where("destination_id", "=", destination).where("first", "=", batch.first).execute();
  else
    await transaction
      .updateTable("sent")
      .set({ sequences })
      .where("destination_id", "=", destination)
      .where("first", "=", batch.first)
      .execute();
  return { count: events.length, next: batch.first };
}
