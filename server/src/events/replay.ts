import type { Kysely } from "kysely";
import { isListed } from "../storage/list";
import type { Database } from "../storage/schema";
import type { Store } from "../storage/store";
import { sequencesOf } from "./batch";
import { insertDeliveries } from "./deliveries";
import { lockFeed } from "./feeds";
import { openLanes } from "./lanes";

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
        (await lockFeed(transaction, destination)) ? page(transaction, after) : { count: 0, next: undefined },
      ),
    );
  const at = now.toISOString();
  const remembered = await again((transaction, after) => replayRemembered(transaction, destination, which, after, at), 0);
  if ("deadLetters" in which) return remembered;
  const start = await startOf(store.reader, destination, which.since);
  if (start === undefined) return remembered;
  return remembered + (await again((transaction, after) => replaySent(transaction, destination, which.since, after, at), start));
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
    .select("delivery.sequence")
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
  await openLanes(transaction, { destination, sequences, now });
  return { count: rows.length, next: rows.length < PAGE ? undefined : last.sequence };
}

/** Before the first batch that may have events since then. */
async function startOf(db: Kysely<Database>, destination: string, since: Date): Promise<number | undefined> {
  const { first } = await db
    .selectFrom("event")
    .select(({ fn }) => fn.min("sequence").as("first"))
    .where("created_at", ">=", since.toISOString())
    .executeTakeFirstOrThrow();
  if (first === null) return undefined;
  const batch = await db
    .selectFrom("sent")
    .select(({ fn }) => fn.max("first").as("first"))
    .where("destination_id", "=", destination)
    .where("first", "<=", first)
    .executeTakeFirst();
  return (batch?.first ?? first) - 1;
}

/** A batch of those that were delivered at once. */
async function replaySent(transaction: Kysely<Database>, destination: string, since: Date, after: number, now: string): Promise<Replay> {
  const sent = transaction.selectFrom("sent").where("destination_id", "=", destination);
  const batch = await sent.selectAll().where("first", ">", after).orderBy("first").limit(1).executeTakeFirst();
  if (!batch) return { count: 0, next: undefined };
  const events = await transaction
    .selectFrom("event")
    .select(["sequence", "type as event_type", "object_id"])
    .where(isListed(transaction, "sequence", batch.sequences, "bigint"))
    .where("created_at", ">=", since.toISOString())
    .execute();
  await insertDeliveries(
    transaction,
    events.map((event) => ({ ...event, destination_id: destination })),
  );
  await openLanes(transaction, { destination, sequences: sequencesOf(events), now });
  const again = new Set(events.map(({ sequence }) => sequence));
  const left = (JSON.parse(batch.sequences) as number[]).filter((sequence) => !again.has(sequence));
  const { destination_id, first } = batch;
  if (left.length === 0) {
    await transaction.deleteFrom("sent").where("destination_id", "=", destination_id).where("first", "=", first).execute();
  } else if (again.size > 0) {
    const sequences = JSON.stringify(left);
    await transaction
      .updateTable("sent")
      .set({ sequences })
      .where("destination_id", "=", destination_id)
      .where("first", "=", first)
      .execute();
  }
  return { count: events.length, next: first };
}
