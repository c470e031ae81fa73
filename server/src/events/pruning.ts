import type { Store } from "../storage/store";

// A transaction of its own for each so many, so that changes need not wait for long.
const PAGE = 500;

/** Removes events from before a time, and what was delivered of them. What is not delivered yet, or was given up, stays with its event. */
export async function pruneEvents(store: Store, before: Date): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const page = await store.reader
      .selectFrom("event")
      .select(["sequence", "created_at"])
      .where("sequence", ">", after)
      .orderBy("sequence")
      .limit(PAGE)
      .execute();
    const old = page.filter(({ created_at }) => created_at < before.toISOString()).map(({ sequence }) => sequence);
    if (old.length > 0) count += await prunePage(store, old);
    if (old.length < PAGE) return count;
    after = old.at(-1) as number;
  }
}

function prunePage(store: Store, sequences: readonly number[]): Promise<number> {
  return store.write(async (transaction) => {
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
