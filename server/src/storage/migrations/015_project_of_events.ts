import { type Kysely, sql } from "kysely";
import { idType } from "../idType";

/** The project that each server has from the start; its id never changes. */
const DEFAULT = `proj_${"0".repeat(27)}`;

/**
 * Events, rows of the audit log and subscriptions belong to projects. Older ones belong to
 * `default`, and so do those that an older server still writes. Rows about the whole account have no project.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  const id = idType(db);
  for (const table of ["event", "inbox", "route"])
    await schema
      .alterTable(table)
      .addColumn("project_id", id, (column) => column.notNull().defaultTo(DEFAULT))
      .execute();
  await schema
    .alterTable("audit_event")
    .addColumn("project_id", id, (column) => column.defaultTo(DEFAULT))
    .execute();
  // One index in place of another: each more costs a creation 14 µs of some 160 on SQLite (processor time,
  // measured 2026-11-24 on 2 cores, Node 24).
  await schema.dropIndex("event_type_sequence").execute();
  await schema
    .createIndex("event_project_sequence")
    .on("event")
    .columns(["project_id", "sequence", "type"])
    .execute();
  // Most rows of most logs are of `default`, and are found without it.
  await schema
    .createIndex("audit_event_project_sequence")
    .on("audit_event")
    .columns(["project_id", "sequence"])
    .where(sql.ref("project_id"), "<>", DEFAULT)
    .execute();
}
