import type { EventSubscription } from "@tunnelplane/sdk";
import { type Follower, isChangeOf, type ObjectChange } from "../journal";
import type { Database, Transaction } from "../storage";
import { grouped } from "../util";
import { leaseEnd } from "./delivery/batch";
import { isWanted, lockDestination } from "./queue/cursors";
import { PENDING } from "./queue/deliveries";

/**
 * Updates the cursors of a subscription after its change, and forgets a deleted destination: in the
 * transaction of the change, while that holds the head of the log, so that every event is clearly before or
 * after the change.
 */
export const subscriptions: Follower = { kinds: ["event_subscription", "event_destination"], follow };

/** @param sequence of the change's event: new cursors begin with it */
async function follow(transaction: Transaction, change: ObjectChange, sequence: number): Promise<void> {
  if (isChangeOf(change, "event_subscription"))
    await replaceCursors(transaction, { ...change, project: change.storedAs.project }, sequence - 1);
  if (change.definition.kind === "event_destination" && !change.after) await forget(transaction, change.id);
}

interface SubscriptionChange {
  readonly id: string;
  /** The id of its project, whose events it is about. */
  readonly project: string;
  readonly before?: EventSubscription;
  readonly after?: EventSubscription;
}

/** A new cursor skips the events up to now. Waiting events that no subscription wants now are dropped. */
async function replaceCursors(
  transaction: Transaction,
  { id, project, before, after }: SubscriptionChange,
  since: number,
): Promise<void> {
  const known = before ? cursorsOf(before) : [];
  const wanted = after ? cursorsOf(after) : [];
  const fresh = without(wanted, known);
  if (fresh.length > 0)
    await transaction
      .insertInto("subscription_cursor")
      .values(
        fresh.map((cursor) => ({
          ...cursor,
          subscription_id: id,
          project_id: project,
          since,
          position: since,
        })),
      )
      .execute();
  const left = grouped(without(known, wanted), ({ destination_id }) => destination_id);
  for (const [destination, cursors] of left) {
    await lockDestination(transaction, destination);
    const types = cursors.map(({ event_type }) => event_type);
    await transaction
      .deleteFrom("subscription_cursor")
      .where("subscription_id", "=", id)
      .where("destination_id", "=", destination)
      .where("event_type", "in", types)
      .execute();
    await dropUnwanted(transaction, destination, types);
  }
}

type Cursor = Pick<Database["subscription_cursor"], "event_type" | "destination_id">;

const cursorsOf = ({ sources, destinations }: EventSubscription): Cursor[] =>
  sources.flatMap(({ type }) =>
    destinations.map((destination) => ({ event_type: type, destination_id: destination.id })),
  );

function without(cursors: readonly Cursor[], others: readonly Cursor[]): Cursor[] {
  const keyOf = ({ destination_id, event_type }: Cursor) => `${destination_id} ${event_type}`;
  const known = new Set(others.map(keyOf));
  return cursors.filter((cursor) => !known.has(keyOf(cursor)));
}

/**
 * Drops waiting deliveries of these types to a destination, except those that a subscription still wants.
 * What remains of an object waits as long as a dropped one may be in flight.
 */
async function dropUnwanted(
  transaction: Transaction,
  destination: string,
  types: readonly string[],
): Promise<void> {
  await transaction
    .deleteFrom("delivery")
    .where("destination_id", "=", destination)
    .where("status", "=", PENDING)
    .where(({ exists, selectFrom, not }) =>
      exists(
        selectFrom("event")
          .select("event.id")
          .whereRef("event.sequence", "=", "delivery.sequence")
          .where("event.type", "in", types)
          .where((event) => not(isWanted(destination, "since")(event))),
      ),
    )
    .execute();
  await transaction
    .updateTable("delivery")
    .set({ due_at: leaseEnd(new Date()) })
    .where("destination_id", "=", destination)
    .where("sequence", "in", (expressions) =>
      expressions
        .selectFrom("delivery as left")
        .select(({ fn }) => fn.min("left.sequence").as("sequence"))
        .where("left.destination_id", "=", destination)
        .where("left.status", "=", PENDING)
        .groupBy("left.object_id")
        .having(({ fn }) => fn.max("left.due_at"), "is", null),
    )
    .execute();
}

/** Removes the data of a deleted destination. No subscription refers to it, so no new events come. */
async function forget(transaction: Transaction, destination: string): Promise<void> {
  await lockDestination(transaction, destination);
  await transaction.deleteFrom("delivery").where("destination_id", "=", destination).execute();
}
