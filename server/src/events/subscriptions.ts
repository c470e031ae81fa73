import type { EventSubscription } from "@tunnelplane/sdk";
import { type Follower, isChangeOf, type ObjectChange } from "../journal";
import type { Transaction } from "../storage";
import { dropPending } from "./queue/objectQueues";

/**
 * Updates routes after a change of a subscription, or the deletion of a destination: in the transaction of
 * the change, while that holds the head of the log, so that every event is clearly before or after the
 * change.
 */
export const subscriptions: Follower = { kinds: ["event_subscription", "event_destination"], follow };

/** @param sequence of the change's event: new routes begin with it */
async function follow(transaction: Transaction, change: ObjectChange, sequence: number): Promise<void> {
  if (isChangeOf(change, "event_subscription"))
    await replaceRoutes(transaction, { ...change, project: change.storedAs.project }, sequence - 1);
  if (change.definition.kind === "event_destination" && !change.after) await forget(transaction, change.id);
}

interface SubscriptionChange {
  readonly id: string;
  /** The id of its project, whose events it is about. */
  readonly project: string;
  readonly before?: EventSubscription;
  readonly after?: EventSubscription;
}

/** Replaces a subscription's routes. Waiting events that no subscription wants now are dropped. */
async function replaceRoutes(
  transaction: Transaction,
  { id, project, before, after }: SubscriptionChange,
  since: number,
): Promise<void> {
  const known = await transaction.selectFrom("route").selectAll().where("subscription_id", "=", id).execute();
  const sinceOf = new Map(known.map((route) => [keyOf(route), route.since]));
  const routes = after
    ? routesOf(after).map((route) => ({
        ...route,
        subscription_id: id,
        project_id: project,
        since: sinceOf.get(keyOf(route)) ?? since,
      }))
    : [];
  for (const destination of new Set(routes.map((route) => route.destination_id)))
    await openFeed(transaction, destination, since);
  await transaction.deleteFrom("route").where("subscription_id", "=", id).execute();
  if (routes.length > 0) await transaction.insertInto("route").values(routes).execute();
  if (!before) return;
  const wanted = new Set(routes.map(keyOf));
  const left = routesOf(before).filter((route) => !wanted.has(keyOf(route)));
  for (const destination of new Set(left.map((route) => route.destination_id))) {
    const types = left
      .filter((route) => route.destination_id === destination)
      .map((route) => route.event_type);
    await dropPending(transaction, destination, types);
  }
}

/**
 * Opens the destination's cursor. If the destination had no routes, the cursor skips the events of that time.
 */
async function openFeed(transaction: Transaction, destination: string, position: number): Promise<void> {
  await transaction
    .insertInto("feed")
    .values({ destination_id: destination, position })
    .onConflict((conflict) =>
      conflict
        .column("destination_id")
        .doUpdateSet({ position })
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom("route")
                .select("route.since")
                .whereRef("route.destination_id", "=", "feed.destination_id"),
            ),
          ),
        ),
    )
    .execute();
}

const keyOf = (route: { destination_id: string; event_type: string }): string =>
  `${route.destination_id} ${route.event_type}`;

function routesOf({
  sources,
  destinations,
}: EventSubscription): { event_type: string; destination_id: string }[] {
  return sources.flatMap(({ type }) =>
    destinations.map((destination) => ({ event_type: type, destination_id: destination.id })),
  );
}

/** Removes the data of a deleted destination. No subscription refers to it, so no new events come. */
async function forget(transaction: Transaction, destination: string): Promise<void> {
  // Delete the cursor first: a worker that leases or records has locked it, so we wait, and afterwards it
  // finds nothing.
  for (const table of ["feed", "batch", "lane", "delivery", "sent"] as const) {
    await transaction.deleteFrom(table).where("destination_id", "=", destination).execute();
  }
}
