import type { Kysely } from "kysely";
import { idType } from "../idType";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const id = idType(db);
  await schema
    .createTable("setting")
    .addColumn("name", "text", (column) => column.primaryKey().notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .execute();
  await schema
    .createTable("principal")
    .addColumn("id", id, (column) => column.primaryKey().notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .execute();
  await schema
    .createTable("resource")
    .addColumn("id", id, (column) => column.primaryKey().notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("owner_id", id, (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("document", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("resource_kind_id").on("resource").columns(["kind", "id"]).unique().execute();
  await schema
    .createTable("reference")
    .addColumn("from_id", id, (column) => column.notNull().references("resource.id").onDelete("cascade"))
    // No cascade: the database refuses to delete an object that others refer to.
    .addColumn("to_id", id, (column) => column.notNull().references("resource.id"))
    .addColumn("field", "text", (column) => column.notNull())
    .addColumn("cascades", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("reference_pk", ["from_id", "field"])
    .execute();
  await schema.createIndex("reference_to_id").on("reference").column("to_id").execute();
  await schema
    .createTable("unique_key")
    .addColumn("scope", "text", (column) => column.notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .addColumn("resource_id", id, (column) => column.notNull().references("resource.id").onDelete("cascade"))
    .addPrimaryKeyConstraint("unique_key_pk", ["scope", "value"])
    .execute();
  await schema.createIndex("unique_key_resource_id").on("unique_key").column("resource_id").execute();
  await schema
    .createTable("told_secret")
    .addColumn("resource_id", id, (column) =>
      column.primaryKey().notNull().references("resource.id").onDelete("cascade"),
    )
    .addColumn("hash", "text", (column) => column.notNull().unique())
    .execute();
}
