import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { newId } from "../../../sdk/src/contract/core/newId";

/** The tables with rows of an object, and the column with its id. */
const TABLES = { resource: "id", reference: "from_id", unique_key: "resource_id" } as const;

/**
 * Copies an object many times, directly in the database, while the server is stopped. Copies every row of the
 * object, with a new id and with `{n}` in the given text counted up, but no events and audit rows. Returns
 * the new ids.
 */
export function copyObject(
  folder: string,
  { id, text }: { id: string; text: (n: number) => string },
  count: number,
  from: number,
): string[] {
  const database = new DatabaseSync(join(folder, "tunnelplane.db"));
  try {
    const prefix = id.slice(0, id.indexOf("_"));
    const templates = Object.entries(TABLES).flatMap(([table, column]) =>
      database
        .prepare(`select * from ${table} where ${column} = ?`)
        .all(id)
        .map((row) => ({
          row: Object.values(row) as SQLInputValue[],
          insert: database.prepare(
            `insert into ${table} (${Object.keys(row).join(", ")}) values (${Object.keys(row)
              .map(() => "?")
              .join(", ")})`,
          ),
        })),
    );
    const ids: string[] = [];
    database.exec("pragma foreign_keys = off; pragma cache_size = -500000; begin");
    for (let n = from; n < from + count; n++) {
      const copy = newId(prefix);
      ids.push(copy);
      const change = (value: SQLInputValue) =>
        typeof value === "string" ? value.replaceAll(id, copy).replaceAll(text(0), text(n)) : value;
      for (const { row, insert } of templates) insert.run(...row.map(change));
    }
    database.exec("commit; pragma wal_checkpoint(truncate)");
    return ids;
  } finally {
    database.close();
  }
}
