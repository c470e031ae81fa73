import type { Kysely } from "kysely";
import { idType } from "../idType";

/** The project that each server has from the start; its id never changes. */
const DEFAULT = `proj_${"0".repeat(27)}`;

/** Every object belongs to a project. Older objects belong to `default`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("resource")
    .addColumn("project_id", idType(db), (column) => column.notNull().defaultTo(DEFAULT))
    .execute();
  await db.schema
    .createIndex("resource_kind_project")
    .on("resource")
    .columns(["kind", "project_id", "id"])
    .execute();
}
