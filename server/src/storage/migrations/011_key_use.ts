import type { Kysely } from "kysely";
import { idType } from "../idType";

/** In which hour each API key was last used. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("key_use")
    .addColumn("key_id", idType(db), (column) =>
      column.primaryKey().notNull().references("resource.id").onDelete("cascade"),
    )
    .addColumn("hour", "text", (column) => column.notNull())
    .execute();
}
