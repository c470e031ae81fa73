import type { Kysely } from "kysely";
import { type Database, isListed, type Store, type Transaction } from "../../storage";
import { sequencesOf } from "../delivery/batch";
import { CLOCKS_MS } from "../queue/clocks";
import { batchesOf, holdersIn, lockCursor } from "../queue/cursors";
import { remember, UNTRIED } from "../queue/deliveries";
import { openQueues, openQueuesBehind } from "../queue/objectQueues";

/** Selects the events to send again: the dead letters, or everything sent or given up since a time. */
export type Replayed = { readonly deadLetters: true } | { readonly since: Date };

// Events per transaction: small, so that changes do not wait for long.
const PAGE = 1000;

/**
 * The result of one transaction: how many events it replays, and where the next one continues, if there is
 * more.
 */
interface Replay {
  readonly count: number;
  readonly next: number | undefined;
}

/** Sends events again under their old ids and counts them. Events that are still waiting do not count. */
export async function replay(store: Store, destination: string, which: Replayed, now: Date): Promise<number> {
  const again = (page: (transaction: Transaction, after: number) => Promise<Replay>, start: number) =>
    untilEnd(start, (after) =>
      store.write(async (transaction) =>
        (await lockCursor(transaction, destination))
          ? page(transaction, after)
          : { count: 0, next: undefined },
      ),
    );
  const at = now.toISOString();
  const remembered = await again(
    (transaction, after) => replayRemembered(transaction, destination, which, after, at),
    0,
  );
  if ("deadLetters" in which) return remembered;
  const range = await rangeOf(store.reader, destination, which.since);
  if (!range) return remembered;
  const { first, last } = range;
  return (
    remembered +
    (await again(
      (transaction, after) => replaySent(transaction, { destination, since: which.since, after, last }, at),
      first - 1,
    ))
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

/** Replays events that have a delivery row. */
async function replayRemembered(
  transaction: Transaction,
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
  else
    chosen = chosen
      .where("status", "in", ["delivered", "dead"])
      .where("event.created_at", ">=", which.since.toISOString());
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

/** Opens their object queues: due now, or once a batch that holds an event of the same object is recorded. */
async function line(
  transaction: Transaction,
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

/** The range of sent batches that may hold events since then. Deliveries from now on are outside of it. */
async function rangeOf(
  db: Kysely<Database>,
  destination: string,
  since: Date,
): Promise<{ first: number; last: number } | undefined> {
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

/** Replays one batch from the table `sent`. */
async function replaySent(
  transaction: Transaction,
  { destination, since, after, last }: Range,
  now: string,
): Promise<Replay> {
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
    .forUpdate() // so that pruning does not remove them meanwhile
    .execute();
  await remember(transaction, { destination, sequences: sequencesOf(events), ...UNTRIED });
  await line(transaction, destination, events, now);
  const again = new Set(events.map(({ sequence }) => sequence));
  const sent: number[] = JSON.parse(batch.sequences);
  const remaining = sent.filter((sequence) => !again.has(sequence));
  const sequences = JSON.stringify(remaining);
  if (remaining.length === 0)
    await transaction
      .deleteFrom("sent")
      .where("destination_id", "=", destination)
      .where("first", "=", batch.first)
      .execute();
  else
    await transaction
      .updateTable("sent")
      .set({ sequences })
      .where("destination_id", "=", destination)
      .where("first", "=", batch.first)
      .execute();
  return { count: events.length, next: batch.first };
}
