import type { Kysely } from "kysely";

/** The names that programs gave objects. No index: creations would have to write it. */
export const up = (db: Kysely<unknown>): Promise<void> =>
  db.schema.alterTable("resource").addColumn("name", "text").execute();
