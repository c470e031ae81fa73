import { type Kysely, sql } from "kysely";
import { idType } from "../idType";

/** The project that each server has from the start; its id never changes. */
const DEFAULT = `proj_${"0".repeat(27)}`;

/**
 * Names of change sets and idempotency keys belong to a project. Older ones belong to `default`.
 * The tables are made anew, because SQLite cannot change what is unique in one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await renewChangesets(db);
  await renewIdempotencyKeys(db);
}

async function renewChangesets(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const id = idType(db);
  await schema
    .createTable("new_changeset")
    .addColumn("id", id, (column) => column.primaryKey().notNull())
    .addColumn("name", id, (column) => column.notNull())
    .addColumn("owner_id", id, (column) => column.notNull())
    .addColumn("version", "integer", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("project_id", id, (column) => column.notNull().defaultTo(DEFAULT))
    .addUniqueConstraint("changeset_project_name", ["project_id", "name"])
    .execute();
  await schema
    .createTable("new_changeset_object")
    .addColumn("resource_id", id, (column) =>
      column.primaryKey().notNull().references("resource.id").onDelete("cascade"),
    )
    .addColumn("changeset_id", id, (column) =>
      column.notNull().references("new_changeset.id").onDelete("cascade"),
    )
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("key", id, (column) => column.notNull())
    .addColumn("declared", "text", (column) => column.notNull())
    .execute();
  await copy(db, "changeset", ["id", "name", "owner_id", "version", "created_at"]);
  await copy(db, "changeset_object", ["resource_id", "changeset_id", "kind", "key", "declared"]);
  // The objects first: to drop a table deletes what refers to its rows.
  for (const table of ["changeset_object", "changeset"]) await replace(db, table);
  await schema
    .createIndex("changeset_object_place")
    .on("changeset_object")
    .columns(["changeset_id", "kind", "key"])
    .unique()
    .execute();
}

async function renewIdempotencyKeys(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const id = idType(db);
  await schema
    .createTable("new_idempotency_key")
    .addColumn("owner_id", id, (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("request_hash", "text", (column) => column.notNull())
    .addColumn("answer", "text", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("project_id", id, (column) => column.notNull().defaultTo(DEFAULT))
    .addPrimaryKeyConstraint("idempotency_key_of_project", ["project_id", "owner_id", "key"])
    .execute();
  await copy(db, "idempotency_key", ["owner_id", "key", "request_hash", "answer", "created_at"]);
  await replace(db, "idempotency_key");
  await schema.createIndex("idempotency_key_created_at").on("idempotency_key").column("created_at").execute();
}

async function copy(db: Kysely<unknown>, table: string, columns: readonly string[]): Promise<void> {
  const names = sql.join(columns.map((column) => sql.ref(column)));
  await sql`insert into ${sql.table(`new_${table}`)} (${names}) select ${names} from ${sql.table(table)}`.execute(
    db,
  );
}

async function replace({ schema }: Kysely<unknown>, table: string): Promise<void> {
  await schema.dropTable(table).execute();
  await schema.alterTable(`new_${table}`).renameTo(table).execute();
}
