import { type Kysely, sql } from "kysely";
import { change, type Database, type Store, statement } from "../../storage";
import { leaseEnd } from "../delivery/batch";
import { LONGEST_WAIT_MS } from "../delivery/retry";
import { lockCursor } from "./cursors";

/** How far clocks of servers may be apart. */
export const CLOCKS_MS = 60_000;

/**
 * Mends what a server wrote while its clock was ahead: what waits, or is leased, for longer than anything ever is. It would
 * else stay until the time comes that the clock showed. What a dispatcher may still be sending gets as much time as if it had
 * been taken now.
 */
export async function mendTimes(store: Store, now: Date): Promise<void> {
  const far = new Date(now.getTime() + LONGEST_WAIT_MS + CLOCKS_MS).toISOString();
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
    .where(({ or, eb }) => or([eb(laneAfter(db, parameter("far")), "is not", null), eb(batchAfter(db, parameter("far")), "is not", null)])),
);

const laneAfter = (db: Kysely<Database>, far: string) =>
  db
    .selectFrom("lane")
    .select("lane.object_id")
    .whereRef("lane.destination_id", "=", sql.ref("feed.destination_id"))
    .where("lane.due_at", ">", far)
    .limit(sql.lit(1));

const batchAfter = (db: Kysely<Database>, far: string) =>
  db
    .selectFrom("batch")
    .select("batch.id")
    .whereRef("batch.destination_id", "=", sql.ref("feed.destination_id"))
    .where("batch.leased_until", ">", far)
    .limit(sql.lit(1));

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
