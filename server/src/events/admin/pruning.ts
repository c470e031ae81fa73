import { present } from "@tunnelplane/sdk/contract";
import { type Kysely, sql } from "kysely";
import { PRUNED_THROUGH } from "../../journal";
import type { Database, Store, Transaction } from "../../storage";
import { lockDestination } from "../queue/cursors";

// Events per transaction: small, so that changes do not wait for long.
const PAGE = 500;

/**
 * Removes old events and the records of their delivery. Keeps events that are undelivered or dead letters.
 */
export async function pruneEvents(store: Store, before: Date): Promise<number> {
  const end = await firstUnread(store.reader);
  let count = 0;
  for (let after = 0; ; ) {
    const page = await store.reader
      .selectFrom("event")
      .select(["sequence", "created_at"])
      .where("sequence", ">", after)
      .where("sequence", "<", end)
      .orderBy("sequence")
      .limit(PAGE)
      .execute();
    const old = page
      .filter(({ created_at }) => created_at < before.toISOString())
      .map(({ sequence }) => sequence);
    if (old.length > 0) count += await prunePage(store, old);
    if (old.length < PAGE) break;
    after = present(old.at(-1));
  }
  return count;
}

/** The first sequence that some subscription has not read yet. */
async function firstUnread(db: Kysely<Database>): Promise<number> {
  const { position } = await db
    .selectFrom("subscription_cursor")
    .select(({ fn }) => fn.min("position").as("position"))
    .executeTakeFirstOrThrow();
  return (position ?? Number.MAX_SAFE_INTEGER - 1) + 1;
}

async function prunePage(store: Store, sequences: readonly number[]): Promise<number> {
  const destinations = await store.reader
    .selectFrom("resource")
    .select("id")
    .where("kind", "=", "event_destination")
    .execute();
  const kept = new Set<number>();
  for (const { id } of destinations) {
    const left = await store.write((transaction) => pruneDeliveries(transaction, id, sequences));
    for (const { sequence } of left) kept.add(sequence);
  }
  const old = sequences.filter((sequence) => !kept.has(sequence));
  if (old.length === 0) return 0;
  return store.write(async (transaction) => {
    const { numDeletedRows } = await transaction
      .deleteFrom("event")
      .where("sequence", "in", old)
      .executeTakeFirst();
    if (numDeletedRows > 0) await noteRemoval(transaction, present(old.at(-1)));
    return Number(numDeletedRows);
  });
}

/** Returns those that are kept. A replay that was faster has them pending; a later one finds none. */
async function pruneDeliveries(transaction: Transaction, destination: string, sequences: readonly number[]) {
  await lockDestination(transaction, destination);
  await transaction
    .deleteFrom("delivery")
    .where("destination_id", "=", destination)
    .where("sequence", "in", sequences)
    .where("status", "=", "delivered")
    .execute();
  return transaction
    .selectFrom("delivery")
    .select("sequence")
    .where("destination_id", "=", destination)
    .where("sequence", "in", sequences)
    .execute();
}

/**
 * Notes the newest event that was ever removed, so that a reader who continues after a removed one gets an
 * error.
 */
async function noteRemoval(transaction: Transaction, sequence: number): Promise<void> {
  const row = { name: PRUNED_THROUGH, value: String(sequence) };
  await transaction
    .insertInto("setting")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet({ value: row.value })
        .where(sql<number>`cast(setting.value as bigint)`, "<", sequence),
    )
    .execute();
}
