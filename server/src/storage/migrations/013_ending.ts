import type { Kysely } from "kysely";
import { idType } from "../idType";

/** Which objects end when, as long as no event says that they have; no other object has a row. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("ending")
    .addColumn("resource_id", idType(db), (column) =>
      column.primaryKey().notNull().references("resource.id").onDelete("cascade"),
    )
    .addColumn("at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("ending_at").on("ending").column("at").execute();
}
