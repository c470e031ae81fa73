import type { Kysely } from "kysely";
import { idType } from "../idType";

/** API keys that identity tokens were exchanged for. They end with their identity, or when it changes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const id = idType(db);
  await db.schema
    .createTable("exchanged_key")
    .addColumn("hash", id, (column) => column.primaryKey().notNull())
    .addColumn("id", id, (column) => column.notNull())
    .addColumn("identity_id", id, (column) => column.notNull().references("resource.id").onDelete("cascade"))
    .addColumn("identity_version", "integer", (column) => column.notNull())
    .addColumn("owner_id", id, (column) => column.notNull())
    .addColumn("scopes", "text", (column) => column.notNull())
    .addColumn("expires_at", id, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("exchanged_key_identity").on("exchanged_key").column("identity_id").execute();
  await db.schema.createIndex("exchanged_key_end").on("exchanged_key").column("expires_at").execute();
}
