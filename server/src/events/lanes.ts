import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { Database } from "../storage/schema";

type Deliveries = SelectQueryBuilder<Database, "delivery", object>;

// Everybody locks lanes before deliveries, and lanes by object, so that nobody waits in a circle.

/** Sees to it that each of these deliveries has a lane, which is due now unless it is there already. */
export async function openLanes(transaction: Kysely<Database>, now: Date, which: (deliveries: Deliveries) => Deliveries): Promise<void> {
  await transaction
    .insertInto("lane")
    .columns(["destination_id", "object_id", "due_at"])
    .expression((insert) =>
      which(insert.selectFrom("delivery") as unknown as Deliveries)
        .select(({ val }) => ["delivery.destination_id", "delivery.object_id", val(now.toISOString()).as("due_at")])
        .distinct()
        .orderBy("destination_id")
        .orderBy("object_id"),
    )
    // Changes nothing, but waits for a dispatcher that is about to close the lane.
    .onConflict((conflict) =>
      conflict.columns(["destination_id", "object_id"]).doUpdateSet({ destination_id: sql.ref("excluded.destination_id") }),
    )
    .execute();
}

/** Closes the lanes of a destination that have nothing left to deliver. */
export async function closeLanes(transaction: Kysely<Database>, destination: string, objects?: readonly string[]): Promise<void> {
  let lanes = transaction.deleteFrom("lane").where("destination_id", "=", destination);
  if (objects) lanes = lanes.where("object_id", "in", objects);
  await lanes
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("delivery")
            .select("delivery.sequence")
            .whereRef("delivery.destination_id", "=", "lane.destination_id")
            .whereRef("delivery.object_id", "=", "lane.object_id")
            .where("delivery.status", "=", "pending"),
        ),
      ),
    )
    .execute();
}

/** Gives up what waits for a destination and is of these types, unless some subscription still asks for it. */
export async function dropPending(transaction: Kysely<Database>, destination: string, types: readonly string[]): Promise<void> {
  await lockLanes(transaction, destination);
  await transaction
    .deleteFrom("delivery")
    .where("destination_id", "=", destination)
    .where("status", "=", "pending")
    .where("event_type", "in", types)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("route")
            .select("route.subscription_id")
            .whereRef("route.destination_id", "=", "delivery.destination_id")
            .whereRef("route.event_type", "=", "delivery.event_type"),
        ),
      ),
    )
    .execute();
  await closeLanes(transaction, destination);
}

async function lockLanes(transaction: Kysely<Database>, destination: string): Promise<void> {
  await transaction
    .selectFrom("lane")
    .select("object_id")
    .where("destination_id", "=", destination)
    .orderBy("object_id")
    .forUpdate()
    .execute();
}
