import { sql } from "kysely";
import { change, type Store } from "../../storage";
import { leaseEnd } from "../delivery/batch";
import { MAX_WAIT_MS } from "../delivery/retry";
import { destinationsDueAfter, lockDestination } from "./cursors";

/** The tolerated difference between the clocks of two servers, in milliseconds. */
export const CLOCKS_MS = 60_000;

/**
 * Repairs due times that a server wrote while its clock was ahead; they lie further in the future than any
 * valid one. Without the repair, those events would wait until the wrong time arrives. A worker may still be
 * sending leased events, so their lease is renewed as if it began now.
 */
export async function repairTimes(store: Store, now: Date): Promise<void> {
  const far = new Date(now.getTime() + MAX_WAIT_MS + CLOCKS_MS).toISOString();
  for (const { id } of await destinationsDueAfter(store.reader, { time: far })) {
    await store.write(async (transaction) => {
      await lockDestination(transaction, id);
      await repair(transaction, { destination: id, far, now: now.toISOString(), leaseEnd: leaseEnd(now) });
    });
  }
}

const repair = change<{ destination: string; far: string; now: string; leaseEnd: string }>((db, parameter) =>
  db
    .updateTable("delivery")
    .set({
      due_at: sql<string>`case when lease is null then cast(${parameter("now")} as text) else cast(${parameter("leaseEnd")} as text) end`,
    })
    .where("destination_id", "=", parameter("destination"))
    .where("due_at", ">", parameter("far")),
);
