import type { Kysely } from "kysely";
import type { Document } from "../documents";
import type { ObjectChange } from "../journal/event";
import type { Database } from "../storage/schema";
import { insertion, statement, together } from "../storage/statement";
import { dropPending, openLanesOfEvent } from "./lanes";

/**
 * Hands an event that has just been written to every destination that a subscription names for it. Has to run in the
 * transaction of the change, while it holds the end of the log: so no subscription changes in between.
 */
export async function fanOut(
  transaction: Kysely<Database>,
  change: ObjectChange,
  { sequence, type }: { sequence: number; type: string },
  now: Date,
): Promise<void> {
  if (change.definition.kind === "event_subscription") await replaceRoutes(transaction, change);
  if (change.definition.kind === "event_destination" && !change.after) await forget(transaction, change.id);
  const destinations = await destinationsOf(transaction, { event_type: type });
  if (destinations.length === 0) return;
  const delivery = { sequence, event_type: type, object_id: change.id };
  await together(destinations.map(({ destination_id }) => insertDelivery(transaction, { destination_id, ...delivery })));
  await openLanesOfEvent(transaction, { sequence, now: now.toISOString() });
}

const destinationsOf = statement<{ event_type: string }, { destination_id: string }>((db, parameter) =>
  db.selectFrom("route").select("destination_id").distinct().where("event_type", "=", parameter("event_type")),
);

const insertDelivery = insertion("delivery", ["destination_id", "sequence", "event_type", "object_id"]);

/** A subscription says what is delivered from now on; what is under way to where nobody wants it any more is not. */
async function replaceRoutes(transaction: Kysely<Database>, { id, before, after }: ObjectChange): Promise<void> {
  await transaction.deleteFrom("route").where("subscription_id", "=", id).execute();
  const routes = after ? routesOf(after).map((route) => ({ ...route, subscription_id: id })) : [];
  if (routes.length > 0) await transaction.insertInto("route").values(routes).execute();
  if (!before) return;
  const wanted = new Set(routes.map(keyOf));
  const left = routesOf(before).filter((route) => !wanted.has(keyOf(route)));
  for (const destination of new Set(left.map((route) => route.destination_id))) {
    const types = left.filter((route) => route.destination_id === destination).map((route) => route.event_type);
    await dropPending(transaction, destination, types);
  }
}

const keyOf = (route: { destination_id: string; event_type: string }): string => `${route.destination_id} ${route.event_type}`;

function routesOf(document: Document): { event_type: string; destination_id: string }[] {
  const { sources, destinations } = document as { sources: { type: string }[]; destinations: { id: string }[] };
  return sources.flatMap(({ type }) => destinations.map((destination) => ({ event_type: type, destination_id: destination.id })));
}

/** Nothing refers to a destination that is deleted, so nothing new comes. */
async function forget(transaction: Kysely<Database>, destination: string): Promise<void> {
  await transaction.deleteFrom("lane").where("destination_id", "=", destination).execute();
  await transaction.deleteFrom("delivery").where("destination_id", "=", destination).execute();
}
