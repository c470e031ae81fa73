import { present } from "@tunnelplane/sdk/contract";
import { type Kysely, sql } from "kysely";
import { PRUNED_THROUGH } from "../../journal";
import type { Database, Store, Transaction } from "../../storage";

// Events per transaction: small, so that changes do not wait for long.
const PAGE = 500;

/**
 * Removes old events and the records of their delivery. Keeps events that are undelivered or dead letters.
 */
export async function pruneEvents(store: Store, before: Date): Promise<number> {
  const end = await firstUndelivered(store.reader);
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
  // The page of deliveries skips events that no longer exist, so the order of the two deletions does not
  // matter.
  await store.write((transaction) =>
    transaction
      .deleteFrom("sent")
      .where("delivered_at", "<", before.toISOString())
      .where("first", "<", end)
      .execute(),
  );
  return count;
}

/** The first sequence that some destination has not taken yet or has under way. */
async function firstUndelivered(db: Kysely<Database>): Promise<number> {
  const feeds = await db
    .selectFrom("feed")
    .select(({ fn }) => fn.min("position").as("position"))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("route")
          .select("route.since")
          .whereRef("route.destination_id", "=", "feed.destination_id"),
      ),
    )
    .executeTakeFirst();
  const batches = await db.selectFrom("batch").select("sequences").execute();
  const underWay = batches.flatMap(({ sequences }): number[] => JSON.parse(sequences));
  return Math.min((feeds?.position ?? Number.MAX_SAFE_INTEGER - 1) + 1, ...underWay);
}

function prunePage(store: Store, sequences: readonly number[]): Promise<number> {
  return store.write(async (transaction) => {
    // A replay locks the events that it sends again. Wait for it, so that the deletion below sees them as
    // pending.
    await transaction
      .selectFrom("event")
      .select("sequence")
      .where("sequence", "in", sequences)
      .orderBy("sequence")
      .forUpdate()
      .execute();
    await transaction
      .deleteFrom("delivery")
      .where("sequence", "in", sequences)
      .where("status", "=", "delivered")
      .execute();
    const { numDeletedRows } = await transaction
      .deleteFrom("event")
      .where("sequence", "in", sequences)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("delivery")
              .select("delivery.sequence")
              .whereRef("delivery.sequence", "=", "event.sequence"),
          ),
        ),
      )
      .executeTakeFirst();
    if (numDeletedRows > 0) await noteRemoval(transaction, present(sequences.at(-1)));
    return Number(numDeletedRows);
  });
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
