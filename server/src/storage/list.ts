import { type Expression, type Kysely, PostgresAdapter, type RawBuilder, type SqlBool, sql } from "kysely";
import type { Database } from "./schema";

/**
 * The values of a list that is given as one parameter, in JSON: so a statement is the same however long the list is. A table with
 * one column, `value`.
 */
export const valuesOf = (db: Kysely<Database>, list: string): RawBuilder<{ value: string | number }> =>
  isPostgres(db) ? sql`json_array_elements_text(${list}::json)` : sql`json_each(${list})`;

/** Whether a column is one of a list that is given as {@link valuesOf} takes it. */
export const isListed = (db: Kysely<Database>, column: string, list: string, type: "text" | "bigint" = "text"): Expression<SqlBool> =>
  isAmong(db, column, sql`select cast(value as ${sql.raw(type)}) from ${valuesOf(db, list)} as listed`);

/**
 * Whether a column is among some rows' only value. PostgreSQL takes an array for short and looks each element up by an index; a
 * subquery it would rather join, by reading whole tables while it knows nothing of how much they hold.
 */
export const isAmong = (db: Kysely<Database>, column: string, rows: Expression<unknown>): Expression<SqlBool> =>
  isPostgres(db) ? sql`${sql.ref(column)} = any(array(${rows}))` : sql`${sql.ref(column)} in (${rows})`;

const isPostgres = (db: Kysely<Database>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;
