import { type Kysely, PostgresAdapter, type RawBuilder, sql } from "kysely";

/**
 * The type of a column of ids. Ids sort by time, byte by byte. SQLite compares every text that way;
 * PostgreSQL would use the rules of a language, unless the column has the collation "C".
 */
export function idType(db: Kysely<unknown>): "text" | RawBuilder<unknown> {
  return db.getExecutor().adapter instanceof PostgresAdapter ? sql`text collate "C"` : "text";
}
