import { sql } from "kysely";
import { isListed, type Store, type Transaction } from "../../storage";
import { sequencesOf } from "../delivery/batch";
import { lockDestination } from "../queue/cursors";
import { setDue, withDue } from "../queue/deliveries";
import { objectsOf } from "../queue/leases";

/** Selects the events to send again: the dead letters, or everything sent or given up since a time. */
export type Replayed = { readonly deadLetters: true } | { readonly since: Date };

// Deliveries per transaction: few, so that changes do not wait for long.
const PAGE = 1000;

/** Sends events again under their old ids and counts them. Events that are still waiting do not count. */
export async function replay(store: Store, destination: string, which: Replayed, now: Date): Promise<number> {
  const last = await lastOf(store, destination);
  let count = 0;
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: Ended[] = await pageOf(store, destination, which, { after, last });
    const chosen = page.filter(
      ({ status, created_at }) =>
        status !== "pending" && ("deadLetters" in which || created_at >= which.since.toISOString()),
    );
    if (chosen.length > 0)
      count += await store.write((transaction) => sendAgain(transaction, destination, chosen, now));
    after = page.length < PAGE ? undefined : page.at(-1)?.sequence;
  }
  return count;
}

/** The newest event that has a delivery. Deliveries from now on are not sent again. */
async function lastOf({ reader }: Store, destination: string): Promise<number> {
  const { last } = await reader
    .selectFrom("delivery")
    .select(({ fn }) => fn.max("sequence").as("last"))
    .where("destination_id", "=", destination)
    .executeTakeFirstOrThrow();
  return last ?? 0;
}

type Ended = Awaited<ReturnType<typeof pageOf>>[number];

function pageOf(
  { reader }: Store,
  destination: string,
  which: Replayed,
  { after, last }: { after: number; last: number },
) {
  const page = reader
    .selectFrom("delivery")
    .innerJoin("event", "event.sequence", "delivery.sequence")
    .select(["delivery.sequence", "delivery.object_id", "delivery.status", "event.created_at"])
    .where("destination_id", "=", destination)
    .where("delivery.sequence", ">", after)
    .where("delivery.sequence", "<=", last)
    .orderBy("delivery.sequence")
    .limit(PAGE);
  return ("deadLetters" in which ? page.where("status", "=", sql.lit("dead" as const)) : page).execute();
}

/** They are due now, or after what waits or is in flight of their objects. */
async function sendAgain(
  transaction: Transaction,
  destination: string,
  chosen: readonly Ended[],
  now: Date,
): Promise<number> {
  await lockDestination(transaction, destination);
  const { numUpdatedRows } = await transaction
    .updateTable("delivery")
    .set({ status: "pending", attempts: 0, first_attempt_at: null })
    .where("destination_id", "=", destination)
    .where("status", "!=", "pending")
    .where(isListed(transaction, "sequence", sequencesOf(chosen), "bigint"))
    .executeTakeFirstOrThrow();
  const queued = await withDue(transaction, { destination, objects: objectsOf(chosen) });
  const known = new Set(queued.map(({ object_id }) => object_id));
  await setDue(transaction, {
    destination,
    objects: objectsOf(chosen.filter(({ object_id }) => !known.has(object_id))),
    due: now.toISOString(),
  });
  return Number(numUpdatedRows);
}
