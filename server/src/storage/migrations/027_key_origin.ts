import type { Kysely } from "kysely";

/** What an API key was made with, where that ends by itself: the key ends together with it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [column, type] of [
    ["session_id", "text"],
    ["identity_id", "text"],
    ["identity_version", "integer"],
  ] as const)
    await db.schema.alterTable("told_secret").addColumn(column, type).execute();
}
