import type { Kysely } from "kysely";
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
  await schema.dropIndex("event_type_sequence").execute();
  await schema
    .createIndex("event_type_project_sequence")
    .on("event")
    .columns(["type", "project_id", "sequence"])
    .execute();
  for (const table of ["event", "audit_event"])
    await schema
      .createIndex(`${table}_project_sequence`)
      .on(table)
      .columns(["project_id", "sequence"])
      .execute();
}
