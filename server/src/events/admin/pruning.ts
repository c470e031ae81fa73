import type { Kysely } from "kysely";
import type { Database, Store } from "../../storage";

// A transaction of its own for each so many, so that changes need not wait for long.
const PAGE = 500;

/** Removes events from before a time, and what was delivered of them. What is not delivered yet, or was given up, stays with its event. */
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
    const old = page.filter(({ created_at }) => created_at < before.toISOString()).map(({ sequence }) => sequence);
    if (old.length > 0) count += await prunePage(store, old);
    if (old.length < PAGE) break;
    after = old.at(-1) as number;
  }
  // Of events that are no longer there nothing is shown; so it does not matter which of both goes first.
  await store.write((transaction) =>
    transaction.deleteFrom("sent").where("delivered_at", "<", before.toISOString()).where("first", "<", end).execute(),
  );
  return count;
}

/** Everything before it has been taken by all destinations, and is with none of them at the moment. */
async function firstUndelivered(db: Kysely<Database>): Promise<number> {
  const feeds = await db
    .selectFrom("feed")
    .select(({ fn }) => fn.min("position").as("position"))
    .where(({ exists, selectFrom }) =>
      exists(selectFrom("route").select("route.since").whereRef("route.destination_id", "=", "feed.destination_id")),
    )
    .executeTakeFirst();
  const batches = await db.selectFrom("batch").select("sequences").execute();
  const underWay = batches.flatMap(({ sequences }) => JSON.parse(sequences) as number[]);
  return Math.min((feeds?.position ?? Number.MAX_SAFE_INTEGER - 1) + 1, ...underWay);
}

function prunePage(store: Store, sequences: readonly number[]): Promise<number> {
  return store.write(async (transaction) => {
    // A replay that makes one wait again has locked it, and what follows sees that it waits.
    await transaction.selectFrom("event").select("sequence").where("sequence", "in", sequences).orderBy("sequence").forUpdate().execute();
    await transaction.deleteFrom("delivery").where("sequence", "in", sequences).where("status", "=", "delivered").execute();
    const { numDeletedRows } = await transaction
      .deleteFrom("event")
      .where("sequence", "in", sequences)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom("delivery").select("delivery.sequence").whereRef("delivery.sequence", "=", "event.sequence"))),
      )
      .executeTakeFirst();
    return Number(numDeletedRows);
  });
}
