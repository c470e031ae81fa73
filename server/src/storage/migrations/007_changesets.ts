import type { Kysely } from "kysely";
import { idType } from "../idType";

export async function up(db: Kysely<unknown>): Promise<void> {
  const id = idType(db);
  await db.schema
    .createTable("changeset")
    .addColumn("id", id, (column) => column.primaryKey().notNull())
    .addColumn("name", id, (column) => column.notNull().unique())
    .addColumn("owner_id", id, (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("changeset_object")
    // An object belongs to one set at most, and leaves it when it is deleted.
    .addColumn("resource_id", id, (column) =>
      column.primaryKey().notNull().references("resource.id").onDelete("cascade"),
    )
    .addColumn("changeset_id", id, (column) =>
      column.notNull().references("changeset.id").onDelete("cascade"),
    )
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("key", id, (column) => column.notNull())
    .addColumn("declared", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("changeset_object_place")
    .on("changeset_object")
    .columns(["changeset_id", "kind", "key"])
    .unique()
    .execute();
}
