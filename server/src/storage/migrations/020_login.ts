import type { Kysely } from "kysely";
import { idType } from "../idType";

/** Command lines that wait for somebody to let them in, and codes that let one in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const id = idType(db);
  await db.schema
    .createTable("login")
    .addColumn("hash", id, (column) => column.primaryKey().notNull())
    .addColumn("user_code", "text", (column) => column.unique())
    .addColumn("challenge", "text")
    .addColumn("user_id", id, (column) => column.references("principal.id").onDelete("cascade"))
    .addColumn("claims", "text", (column) => column.notNull())
    .addColumn("expires_at", id, (column) => column.notNull())
    .execute();
  await db.schema.createIndex("login_end").on("login").column("expires_at").execute();
}
