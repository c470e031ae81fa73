import type { Kysely } from "kysely";

/** The ports that a gateway listens for, as a JSON list; null for one that does not report them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("gateway").addColumn("ports", "text").execute();
}
