import { type Kysely, PostgresAdapter, sql } from "kysely";
import { renewTable } from "../renew";

/** The project that each server has from the start; its id never changes. */
const DEFAULT = `proj_${"0".repeat(27)}`;

/**
 * Three trees that every creation wrote and nobody needs. The primary key finds the objects of a kind in
 * order, because their ids begin alike. And SQLite keeps a table and its primary key in one tree only if that
 * is an "integer". Its statements of a creation then take 0.82 of the processor time (groups of 8, measured
 * 2026-11-28 on 2 cores, Node 24). Tables "without rowid" gain nothing: their other indexes get longer.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropIndex("resource_kind_id").ifExists().execute();
  if (db.getExecutor().adapter instanceof PostgresAdapter) return;
  await renewEvents(db);
  await renewAuditEvents(db);
}

async function renewEvents(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await sql`create table new_event (
    sequence integer not null primary key,
    id text not null unique,
    type text not null,
    object_id text not null,
    created_at text not null,
    payload text not null,
    project_id text not null default ${sql.lit(DEFAULT)}
  )`.execute(db);
  const columns = ["sequence", "id", "type", "object_id", "created_at", "payload", "project_id"];
  await renewTable(db, "event", columns);
  await schema
    .createIndex("event_object_id_sequence")
    .on("event")
    .columns(["object_id", "sequence"])
    .execute();
  await schema
    .createIndex("event_project_sequence")
    .on("event")
    .columns(["project_id", "sequence", "type"])
    .execute();
}

async function renewAuditEvents(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await sql`create table new_audit_event (
    sequence integer not null primary key,
    created_at text not null,
    operation_id text not null,
    principal_id text not null,
    key_id text,
    client text,
    action text not null,
    object_id text,
    event_id text,
    changed text not null,
    previous_hash text not null,
    hash text not null,
    object_digest text,
    event_digest text,
    lane text,
    project_id text default ${sql.lit(DEFAULT)}
  )`.execute(db);
  await renewTable(db, "audit_event", [
    ...["sequence", "created_at", "operation_id", "principal_id", "key_id", "client", "action", "object_id"],
    ...[
      "event_id",
      "changed",
      "previous_hash",
      "hash",
      "object_digest",
      "event_digest",
      "lane",
      "project_id",
    ],
  ]);
  await schema
    .createIndex("audit_event_lane")
    .on("audit_event")
    .column("lane")
    .where(sql.ref("lane"), "is not", null)
    .execute();
  await schema
    .createIndex("audit_event_project_sequence")
    .on("audit_event")
    .columns(["project_id", "sequence"])
    .where(sql.ref("project_id"), "<>", DEFAULT)
    .execute();
  for (const operation of ["update", "delete"])
    await sql`create trigger ${sql.raw(`audit_event_no_${operation}`)} before ${sql.raw(operation)} on audit_event
      begin select raise(abort, 'the audit log is append-only'); end`.execute(db);
}
