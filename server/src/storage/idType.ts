import { type Kysely, PostgresAdapter, type RawBuilder, sql } from "kysely";

/**
 * The type of a column of ids. They sort by time, byte by byte: so SQLite compares every text, but PostgreSQL
 * compares as people of some country sort words, unless it is told otherwise.
 */
export function idType(db: Kysely<unknown>): "text" | RawBuilder<unknown> {
  return db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : "text";
}
