import { type Kysely, sql } from "kysely";
import { idType } from "../idType";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const id = idType(db);
  await schema
    .createTable("route")
    .addColumn("event_type", "text", (column) => column.notNull())
    .addColumn("destination_id", id, (column) => column.notNull())
    .addColumn("subscription_id", id, (column) =>
      column.notNull().references("resource.id").onDelete("cascade"),
    )
    .addColumn("since", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("route_pk", ["event_type", "destination_id", "subscription_id"])
    .execute();
  await schema.createIndex("route_subscription_id").on("route").column("subscription_id").execute();
  await schema
    .createTable("feed")
    .addColumn("destination_id", id, (column) => column.primaryKey().notNull())
    .addColumn("position", "bigint", (column) => column.notNull())
    .execute();
  await schema
    .createTable("batch")
    .addColumn("id", id, (column) => column.primaryKey().notNull())
    .addColumn("destination_id", id, (column) => column.notNull())
    .addColumn("sequences", "text", (column) => column.notNull())
    .addColumn("object_ends", "text", (column) => column.notNull())
    .addColumn("leased_until", id, (column) => column.notNull())
    .execute();
  await schema
    .createTable("sent")
    .addColumn("destination_id", id, (column) => column.notNull())
    .addColumn("first", "bigint", (column) => column.notNull())
    .addColumn("delivered_at", "text", (column) => column.notNull())
    .addColumn("sequences", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("sent_pk", ["destination_id", "first"])
    .execute();
  // No foreign key to the destination: its check would lock that row at the end of every change, and deadlock
  // with a change of the destination, which holds the row and waits for the head of the log.
  await schema
    .createTable("delivery")
    .addColumn("destination_id", id, (column) => column.notNull())
    .addColumn("sequence", "bigint", (column) => column.notNull())
    .addColumn("event_type", "text", (column) => column.notNull())
    .addColumn("object_id", id, (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull().defaultTo("pending"))
    .addColumn("attempts", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("last_error", "text")
    .addColumn("first_attempt_at", "text")
    .addColumn("last_attempt_at", "text")
    .addColumn("delivered_at", "text")
    .addPrimaryKeyConstraint("delivery_pk", ["destination_id", "sequence"])
    .execute();
  // One partial index for each status: PostgreSQL would use a common index for other queries too, and read
  // all of it.
  await schema
    .createIndex("delivery_pending")
    .on("delivery")
    .columns(["destination_id", "object_id", "sequence"])
    .where(sql.ref("status"), "=", "pending")
    .execute();
  await schema
    .createIndex("delivery_dead")
    .on("delivery")
    .columns(["destination_id", "sequence"])
    .where(sql.ref("status"), "=", "dead")
    .execute();
  await schema.createIndex("delivery_sequence").on("delivery").column("sequence").execute();
  await schema
    .createTable("lane")
    .addColumn("destination_id", id, (column) => column.notNull())
    .addColumn("object_id", id, (column) => column.notNull())
    .addColumn("due_at", id, (column) => column.notNull())
    .addColumn("lease", "text")
    .addPrimaryKeyConstraint("lane_pk", ["destination_id", "object_id"])
    .execute();
  await schema.createIndex("lane_due_at").on("lane").columns(["destination_id", "due_at"]).execute();
  await schema
    .createIndex("lane_lease")
    .on("lane")
    .column("lease")
    .where(sql.ref("lease"), "is not", null)
    .execute();
  await fillRoutes(db as Kysely<Filled>);
}

interface Filled {
  resource: { id: string; kind: string; document: string };
  audit_head: { sequence: number };
  route: { event_type: string; destination_id: string; subscription_id: string; since: number };
  feed: { destination_id: string; position: number };
}

/** Adds routes for subscriptions from before there were events. */
async function fillRoutes(db: Kysely<Filled>): Promise<void> {
  const rows = await db
    .selectFrom("resource")
    .select(["id", "document"])
    .where("kind", "=", "event_subscription")
    .execute();
  const head = await db.selectFrom("audit_head").select("sequence").executeTakeFirst();
  const since = Number(head?.sequence ?? 0);
  const fed = new Set<string>();
  for (const { id, document } of rows) {
    const { sources, destinations } = JSON.parse(document) as {
      sources: { type: string }[];
      destinations: { id: string }[];
    };
    for (const destination of destinations) fed.add(destination.id);
    const routes = sources.flatMap(({ type }) =>
      destinations.map((destination) => ({
        event_type: type,
        destination_id: destination.id,
        subscription_id: id,
        since,
      })),
    );
    if (routes.length > 0) await db.insertInto("route").values(routes).execute();
  }
  for (const destination_id of fed)
    await db.insertInto("feed").values({ destination_id, position: since }).execute();
}
