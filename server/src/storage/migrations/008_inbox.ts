import { type Kysely, PostgresAdapter, sql } from "kysely";
import { idType } from "../idType";

export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const { schema } = db;
  const id = idType(db);
  await schema
    .createTable("inbox")
    .ifNotExists()
    .addColumn("n", isPostgres ? "bigint" : "integer", (column) =>
      isPostgres
        ? column.primaryKey().notNull().generatedByDefaultAsIdentity()
        : column.primaryKey().notNull(),
    )
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("operation_id", "text", (column) => column.notNull())
    .addColumn("principal_id", id, (column) => column.notNull())
    .addColumn("key_id", id)
    .addColumn("client", "text")
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("object_id", id, (column) => column.notNull())
    .addColumn("event_id", id, (column) => column.notNull())
    .addColumn("event_type", "text", (column) => column.notNull())
    .addColumn("payload", "text", (column) => column.notNull())
    .addColumn("changed", "text", (column) => column.notNull())
    .addColumn("object_digest", "text")
    .addColumn("event_digest", "text")
    .addColumn("data_key_id", "text", (column) => column.notNull())
    .addColumn("mac", "text", (column) => column.notNull())
    .addColumn("lane", "text", (column) => column.notNull())
    .addColumn("k", "bigint", (column) => column.notNull())
    .execute();
  await schema.alterTable("audit_event").addColumn("lane", "text").execute();
  // Not unique, so that `audit verify` can find and report a row that somebody repeated.
  await schema
    .createIndex("audit_event_lane")
    .on("audit_event")
    .column("lane")
    .where(sql.ref("lane"), "is not", null)
    .execute();
  if (isPostgres) await refuseOlderServers(db);
}

/**
 * An older server would write behind the end of the log, past the rows of the inbox. Its rows have no lane.
 * 57P03 (cannot connect now) makes it answer 503, which promises that nothing was changed. A restore writes
 * such rows too, and sets a marker for it.
 */
async function refuseOlderServers(db: Kysely<unknown>): Promise<void> {
  await sql`create or replace function audit_event_refuse_older() returns trigger language plpgsql as $$
    begin
      raise exception 'a newer version of tunnelplane has served this database: update this server' using errcode = '57P03';
    end $$`.execute(db);
  await sql`create or replace trigger audit_event_from_lane before insert on audit_event for each row
    when (new.lane is null and coalesce(current_setting('tunnelplane.restoring', true), '') <> 'yes')
    execute function audit_event_refuse_older()`.execute(db);
}
