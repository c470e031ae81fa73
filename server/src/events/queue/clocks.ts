import { sql } from "kysely";
import { change, type Store, statement } from "../../storage";
import { leaseEnd } from "../delivery/batch";
import { MAX_WAIT_MS } from "../delivery/retry";
import { leaseEnding, lockCursor, queueDue } from "./cursors";

/** The tolerated difference between the clocks of two servers. */
export const CLOCKS_MS = 60_000;

/**
 * Repairs due times and leases that a server wrote while its clock was ahead; they lie further in the future
 * than any valid one. Without the repair, those events would wait until the wrong time arrives. A worker may
 * still be sending a leased batch, so its lease is renewed as if it began now.
 */
export async function repairTimes(store: Store, now: Date): Promise<void> {
  const far = new Date(now.getTime() + MAX_WAIT_MS + CLOCKS_MS).toISOString();
  for (const { destination } of await destinationsWithTimesAfter(store.reader, { far })) {
    await store.write(async (transaction) => {
      if (!(await lockCursor(transaction, destination))) return;
      const times = { destination, far, now: now.toISOString(), leaseEnd: leaseEnd(now) };
      await mendLanes(transaction, times);
      await mendBatches(transaction, times);
    });
  }
}

interface Times {
  readonly destination: string;
  readonly far: string;
  readonly now: string;
  readonly leaseEnd: string;
}

const destinationsWithTimesAfter = statement<{ far: string }, { destination: string }>((db, parameter) =>
  db
    .selectFrom("feed")
    .select("feed.destination_id as destination")
    .where(({ or, eb }) =>
      or([
        eb(queueDue(db, ">", parameter("far")), "is not", null),
        eb(leaseEnding(db, ">", parameter("far")), "is not", null),
      ]),
    ),
);

const mendLanes = change<Times>((db, parameter) =>
  db
    .updateTable("lane")
    .set({
      due_at: sql<string>`case when lease is null then cast(${parameter("now")} as text) else cast(${parameter("leaseEnd")} as text) end`,
    })
    .where("destination_id", "=", parameter("destination"))
    .where("due_at", ">", parameter("far")),
);

const mendBatches = change<Times>((db, parameter) =>
  db
    .updateTable("batch")
    .set({ leased_until: parameter("leaseEnd") })
    .where("destination_id", "=", parameter("destination"))
    .where("leased_until", ">", parameter("far")),
);
