import type { Kysely } from "kysely";
import { idType } from "../idType";

/** The table for the look-up of enforced guarantees by the hostports that a change can touch. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const id = idType(db);
  await db.schema
    .createTable("guarantee_address")
    .addColumn("place", "text", (column) => column.notNull())
    .addColumn("guarantee_id", id, (column) => column.notNull().references("resource.id").onDelete("cascade"))
    .addPrimaryKeyConstraint("guarantee_address_primary_key", ["place", "guarantee_id"])
    .execute();
  await db.schema
    .createIndex("guarantee_address_guarantee")
    .on("guarantee_address")
    .column("guarantee_id")
    .execute();
}
