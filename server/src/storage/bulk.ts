import type { CompiledQuery, Kysely } from "kysely";
import { pipelined, yieldToEventLoop } from "../util";
import type { Database } from "./schema";
import { insertion } from "./statement";

/** Rows of one statement: one of 50 rows takes a third of the time of 50 of one row. */
const ROWS = 50;

/**
 * Inserts many rows, 50 with each statement, and gives others their turn in between.
 */
export type BulkInsertion<T extends keyof Database, C extends keyof Database[T]> = (
  db: Kysely<Database>,
  rows: readonly Pick<Database[T], C>[],
) => Promise<void>;

/** The statement is compiled once for each kind of database; its parameters are the values, row by row. */
export function bulkInsertion<T extends keyof Database, C extends keyof Database[T] & string>(
  table: T,
  columns: readonly C[],
): BulkInsertion<T, C> {
  const one = insertion(table, columns);
  const compiledFor = new Map<unknown, CompiledQuery>();
  const compiled = (db: Kysely<Database>): CompiledQuery => {
    const dialect = db.getExecutor().adapter.constructor;
    let query = compiledFor.get(dialect);
    if (!query) {
      const row = Object.fromEntries(columns.map((column) => [column, ""]));
      query = db
        .insertInto(table)
        .values(Array.from({ length: ROWS }, () => row) as never)
        .compile();
      compiledFor.set(dialect, query);
    }
    return query;
  };
  return async (db, rows) => {
    const [first] = rows;
    if (first === undefined) return;
    if (rows.length === 1) return void (await one(db, first));
    const whole = rows.length - (rows.length % ROWS);
    for (let start = 0; start < whole; start += ROWS) {
      const parameters: unknown[] = [];
      for (let at = start; at < start + ROWS; at++)
        for (const column of columns) parameters.push(rows[at]?.[column]);
      await db.getExecutor().executeQuery({ ...compiled(db), parameters });
      await yieldToEventLoop();
    }
    await pipelined(rows.slice(whole).map((row) => one(db, row)));
  };
}
