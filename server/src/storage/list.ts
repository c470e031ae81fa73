import { type Expression, type Kysely, PostgresAdapter, type RawBuilder, type SqlBool, sql } from "kysely";
import { yieldToEventLoop } from "../util";
import type { Database } from "./schema";

/** Entries of a list that one statement gets. */
const AT_ONCE = 200;

/** Runs a statement for parts of a long list, as JSON, and gives others their turn in between. */
export async function inParts<R>(list: readonly string[], run: (part: string) => Promise<R[]>): Promise<R[]> {
  const rows: R[] = [];
  for (const [index, part] of partsOf(list).entries()) {
    if (index > 0) await yieldToEventLoop();
    for (const row of await run(part)) rows.push(row);
  }
  return rows;
}

/** The parts of a long list, as JSON. */
export const partsOf = (list: readonly string[]): string[] =>
  Array.from({ length: Math.ceil(list.length / AT_ONCE) }, (_, part) =>
    JSON.stringify(
      // PostgreSQL accepts no NUL in JSON either. No id has one, nor the character in its place.
      list.slice(part * AT_ONCE, (part + 1) * AT_ONCE).map((text) => text.replaceAll("\0", "\ufffd")),
    ),
  );

/**
 * Passes a list as one JSON parameter, so that the statement's text does not depend on its length. Gives a
 * table with one column, `value`.
 */
export const valuesOf = (db: Kysely<Database>, list: string): RawBuilder<{ value: string | number }> =>
  isPostgres(db) ? sql`json_array_elements_text(${list}::json)` : sql`json_each(${list})`;

/** Passes records as one JSON parameter, a list of lists. Gives a table with these columns. */
export function recordsOf<R>(
  db: Kysely<Database>,
  list: string,
  columns: Readonly<Record<keyof R & string, "text" | "bigint">>,
): RawBuilder<R> {
  const value = isPostgres(db)
    ? (index: number) => sql`value ->> ${sql.lit(index)}`
    : (index: number) => sql`value ->> ${sql.lit(`$[${index}]`)}`;
  const selected = Object.entries<"text" | "bigint">(columns).map(
    ([name, type], index) => sql`cast(${value(index)} as ${sql.raw(type)}) as ${sql.ref(name)}`,
  );
  const from = isPostgres(db) ? sql`json_array_elements(${list}::json)` : sql`json_each(${list})`;
  return sql`(select ${sql.join(selected)} from ${from} as listed)`;
}

/** Whether a column is in a list, passed as for {@link valuesOf}. */
export const isListed = (
  db: Kysely<Database>,
  column: string,
  list: string,
  type: "text" | "bigint" = "text",
): Expression<SqlBool> =>
  isAmong(db, column, sql`select cast(value as ${sql.raw(type)}) from ${valuesOf(db, list)} as listed`);

/**
 * Whether a column is among the rows of a subquery with one column. PostgreSQL looks up each element of an
 * array by an index. It would join a subquery instead, and read whole tables while it has no statistics.
 */
export const isAmong = (
  db: Kysely<Database>,
  column: string,
  rows: Expression<unknown>,
): Expression<SqlBool> =>
  isPostgres(db) ? sql`${sql.ref(column)} = any(array(${rows}))` : sql`${sql.ref(column)} in (${rows})`;

const isPostgres = (db: Kysely<Database>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;
