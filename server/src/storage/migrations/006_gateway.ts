import type { Kysely } from "kysely";
import { idType } from "../idType";

export async function up(db: Kysely<unknown>): Promise<void> {
  const id = idType(db);
  await db.schema
    .createTable("gateway")
    .addColumn("name", id, (column) => column.primaryKey().notNull())
    .addColumn("last_seen", id, (column) => column.notNull())
    .addColumn("version", "text", (column) => column.notNull())
    .addColumn("envoy_version", "text", (column) => column.notNull())
    .addColumn("sequence", "bigint", (column) => column.notNull())
    .addColumn("applied", "integer", (column) => column.notNull())
    .addColumn("rejected", "integer", (column) => column.notNull())
    .addColumn("edges", "text", (column) => column.notNull())
    .addColumn("agents", "text", (column) => column.notNull())
    .execute();
}
