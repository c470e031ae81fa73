import type { Kysely } from "kysely";
import { idType } from "../idType";

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("sealed_secret")
    .addColumn("resource_id", idType(db), (column) =>
      column.notNull().references("resource.id").onDelete("cascade"),
    )
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("sealed_secret_pk", ["resource_id", "name"])
    .execute();
}
