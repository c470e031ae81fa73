import type { Store } from "../storage/store";
import { openLanes } from "./lanes";

/** Which of a destination's events are sent again: those given up, or all that were sent or given up since a time. */
export type Replayed = { readonly deadLetters: true } | { readonly since: Date };

// A transaction of its own for each so many, so that changes need not wait for long.
const PAGE = 1000;

/** Sends events again, each with the id that it had, and counts them. What waits anyway is not counted. */
export async function replay(store: Store, destination: string, which: Replayed, now: Date): Promise<number> {
  let count = 0;
  for (let after = 0; ; ) {
    const page = await replayPage(store, destination, which, { after, now });
    count += page.length;
    after = page.at(-1) ?? after;
    if (page.length < PAGE) return count;
  }
}

function replayPage(store: Store, destination: string, which: Replayed, { after, now }: { after: number; now: Date }): Promise<number[]> {
  return store.write(async (transaction) => {
    let chosen = transaction
      .selectFrom("delivery")
      .innerJoin("event", "event.sequence", "delivery.sequence")
      .select("delivery.sequence")
      .where("destination_id", "=", destination)
      .where("delivery.sequence", ">", after);
    if ("deadLetters" in which) chosen = chosen.where("status", "=", "dead");
    else chosen = chosen.where("status", "in", ["delivered", "dead"]).where("event.created_at", ">=", which.since.toISOString());
    const rows = await chosen.orderBy("delivery.sequence").limit(PAGE).execute();
    const sequences = rows.map(({ sequence }) => sequence);
    if (sequences.length === 0) return [];
    // The lanes first: a dispatcher that is about to close one sees what comes.
    await openLanes(transaction, { destination, sequences: JSON.stringify(sequences), now: now.toISOString() });
    await transaction
      .updateTable("delivery")
      .set({ status: "pending", attempts: 0, first_attempt_at: null, delivered_at: null })
      .where("destination_id", "=", destination)
      .where("sequence", "in", sequences)
      .execute();
    return sequences;
  });
}
