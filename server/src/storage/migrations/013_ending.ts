import type { Kysely } from "kysely";
import { idType } from "../idType";

/** When objects end. An object has a row until the event that says that it has ended. */
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
