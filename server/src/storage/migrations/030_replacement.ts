import type { Kysely } from "kysely";
import { idType } from "../idType";

/** Which object takes over the unique values of which, while both exist. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const id = idType(db);
  await db.schema
    .createTable("replacement")
    .addColumn("old_id", id, (column) => column.primaryKey().notNull())
    .addColumn("new_id", id, (column) => column.notNull().unique())
    .execute();
}
