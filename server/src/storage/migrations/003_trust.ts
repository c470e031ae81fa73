import { type Kysely, PostgresAdapter, sql } from "kysely";
import { idType } from "../idType";

export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const id = idType(db);
  await schema
    .createTable("sealing_key")
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("master_id", "text", (column) => column.notNull())
    .addColumn("wrapped", "text", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("sealing_key_pk", ["id", "master_id"])
    .execute();
  await schema
    .createTable("event")
    .addColumn("sequence", "bigint", (column) => column.primaryKey().notNull())
    .addColumn("id", id, (column) => column.notNull().unique())
    .addColumn("type", "text", (column) => column.notNull())
    .addColumn("object_id", id, (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("payload", "text", (column) => column.notNull())
    .execute();
  await schema.createIndex("event_type_sequence").on("event").columns(["type", "sequence"]).execute();
  await schema
    .createIndex("event_object_id_sequence")
    .on("event")
    .columns(["object_id", "sequence"])
    .execute();
  await schema
    .createTable("audit_event")
    .addColumn("sequence", "bigint", (column) => column.primaryKey().notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("operation_id", "text", (column) => column.notNull())
    .addColumn("principal_id", id, (column) => column.notNull())
    .addColumn("key_id", id)
    .addColumn("client", "text")
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("object_id", id)
    .addColumn("event_id", id)
    .addColumn("changed", "text", (column) => column.notNull())
    .addColumn("previous_hash", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .execute();
  await schema
    .createTable("audit_head")
    .addColumn("id", "integer", (column) => column.primaryKey().notNull())
    .addColumn("sequence", "bigint", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("mac", "text", (column) => column.notNull())
    .execute();
  await schema
    .createTable("idempotency_key")
    .addColumn("owner_id", id, (column) => column.notNull())
    .addColumn("key", "text", (column) => column.notNull())
    .addColumn("request_hash", "text", (column) => column.notNull())
    .addColumn("answer", "text", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("idempotency_key_pk", ["owner_id", "key"])
    .execute();
  await schema.createIndex("idempotency_key_created_at").on("idempotency_key").column("created_at").execute();
  await refuseChanges(db);
}

/** Keeps the audit log append-only even if a bug in the server tries to change it. */
async function refuseChanges(db: Kysely<unknown>): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter) {
    await sql`create function audit_event_refuse() returns trigger language plpgsql as $$
      begin raise exception 'the audit log is append-only'; end $$`.execute(db);
    await sql`create trigger audit_event_append_only before update or delete on audit_event
      for each row execute function audit_event_refuse()`.execute(db);
    await sql`create trigger audit_event_no_truncate before truncate on audit_event
      for each statement execute function audit_event_refuse()`.execute(db);
    return;
  }
  for (const operation of ["update", "delete"]) {
    await sql`create trigger ${sql.raw(`audit_event_no_${operation}`)} before ${sql.raw(operation)} on audit_event
      begin select raise(abort, 'the audit log is append-only'); end`.execute(db);
  }
}
