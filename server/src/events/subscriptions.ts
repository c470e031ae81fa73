import type { Kysely } from "kysely";
import type { Document } from "../documents";
import type { ObjectChange } from "../journal";
import type { Database } from "../storage";
import { dropPending } from "./queue/objectQueues";

/**
 * Lets a change of a subscription count, or of a destination that is deleted. Has to run in the transaction of the change, while it
 * holds the end of the log: so every event is before it or after it.
 *
 * @param sequence of the change's event, the first that counts for what is new
 */
export async function followSubscriptions(transaction: Kysely<Database>, change: ObjectChange, sequence: number): Promise<void> {
  if (change.definition.kind === "event_subscription") await replaceRoutes(transaction, change, sequence - 1);
  if (change.definition.kind === "event_destination" && !change.after) await forget(transaction, change.id);
}

/** A subscription says what is delivered from now on; what is under way to where nobody wants it any more is not. */
async function replaceRoutes(transaction: Kysely<Database>, { id, before, after }: ObjectChange, since: number): Promise<void> {
  const known = await transaction.selectFrom("route").selectAll().where("subscription_id", "=", id).execute();
  const sinceOf = new Map(known.map((route) => [keyOf(route), route.since]));
  const routes = after
    ? routesOf(after).map((route) => ({ ...route, subscription_id: id, since: sinceOf.get(keyOf(route)) ?? since }))
    : [];
  for (const destination of new Set(routes.map((route) => route.destination_id))) await openFeed(transaction, destination, since);
  await transaction.deleteFrom("route").where("subscription_id", "=", id).execute();
  if (routes.length > 0) await transaction.insertInto("route").values(routes).execute();
  if (!before) return;
  const wanted = new Set(routes.map(keyOf));
  const left = routesOf(before).filter((route) => !wanted.has(keyOf(route)));
  for (const destination of new Set(left.map((route) => route.destination_id))) {
    const types = left.filter((route) => route.destination_id === destination).map((route) => route.event_type);
    await dropPending(transaction, destination, types);
  }
}

/** A destination that nothing was sent to has nothing to look through of what happened meanwhile. */
async function openFeed(transaction: Kysely<Database>, destination: string, position: number): Promise<void> {
  await transaction
    .insertInto("feed")
    .values({ destination_id: destination, position })
    .onConflict((conflict) =>
      conflict
        .column("destination_id")
        .doUpdateSet({ position })
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom("route").select("route.since").whereRef("route.destination_id", "=", "feed.destination_id"))),
        ),
    )
    .execute();
}

const keyOf = (route: { destination_id: string; event_type: string }): string => `${route.destination_id} ${route.event_type}`;

function routesOf(document: Document): { event_type: string; destination_id: string }[] {
  const { sources, destinations } = document as { sources: { type: string }[]; destinations: { id: string }[] };
  return sources.flatMap(({ type }) => destinations.map((destination) => ({ event_type: type, destination_id: destination.id })));
}

/** Nothing refers to a destination that is deleted, so nothing new comes. */
async function forget(transaction: Kysely<Database>, destination: string): Promise<void> {
  // The feed first: whoever takes or records something has it locked, and finds nothing when we are done.
  for (const table of ["feed", "batch", "lane", "delivery", "sent"] as const) {
    await transaction.deleteFrom(table).where("destination_id", "=", destination).execute();
  }
}
