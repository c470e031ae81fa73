import { type ColumnMetadata, type Kysely, PostgresAdapter, type SelectExpression, sql } from "kysely";
import type { Database } from "../storage";

/**
 * Any database. Its tables are read from its catalogue, so that a backup includes tables of later versions
 * too.
 */
type AnyDatabase = Record<string, Record<string, unknown>>;

/** The same database, for tables that are known by name only. */
export const byName = (db: Kysely<Database>) => db as unknown as Kysely<AnyDatabase>; // the types name each table

/**
 * A value in a backup, the same from either database: text, an integer's digits, bytes in hexadecimal, or
 * null.
 */
export type Value = string | null;

export interface Column {
  readonly name: string;
  /** Selects the column as a Value. */
  readonly select: SelectExpression<AnyDatabase, string>;
  /** Turns a Value into the database's own form. */
  stored(value: Value): string | Uint8Array | null;
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** The tables of a database, ordered so that each comes after the tables that it refers to. */
export async function tablesOf(db: Kysely<Database>): Promise<Table[]> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  const schema = isPostgres
    ? (await sql<{ name: string }>`select current_schema() as name`.execute(db)).rows[0]?.name
    : undefined;
  const found = await db.introspection.getTables();
  const tables = found
    .filter((table) => !table.isView && table.schema === schema)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const references = (await (isPostgres ? POSTGRES_REFERENCES : SQLITE_REFERENCES).execute(db)).rows;
  return sorted(
    tables.map(({ name, columns }) => ({ name, columns: columns.map((column) => columnOf(name, column)) })),
    references,
  );
}

interface Reference {
  readonly from: string;
  readonly to: string;
}

const POSTGRES_REFERENCES = sql<Reference>`
  select a.relname as "from", b.relname as "to" from pg_constraint
  join pg_class a on a.oid = conrelid join pg_class b on b.oid = confrelid
  where contype = 'f' and connamespace = current_schema()::regnamespace`;

const SQLITE_REFERENCES = sql<Reference>`
  select m.name as "from", f."table" as "to" from sqlite_master m, pragma_foreign_key_list(m.name) f where m.type = 'table'`;

function sorted(tables: readonly Table[], references: readonly Reference[]): Table[] {
  const result: Table[] = [];
  const left = new Set(tables);
  while (left.size > 0) {
    const waits = (table: Table) =>
      references.some(({ from, to }) => from === table.name && [...left].some(({ name }) => name === to));
    const next = [...left].find((table) => !waits(table));
    if (!next)
      throw new Error(
        `Cannot order tables that refer to each other: ${[...left].map(({ name }) => name).join(", ")}`,
      );
    left.delete(next);
    result.push(next);
  }
  return result;
}

function columnOf(table: string, { name, dataType }: ColumnMetadata): Column {
  const column = sql.ref(name);
  if (/blob|bytea/i.test(dataType)) {
    const hex =
      dataType === "bytea"
        ? sql<string>`encode(${column}, 'hex')`
        : sql<string>`case when ${column} is not null then lower(hex(${column})) end`;
    return {
      name,
      select: hex.as(name),
      stored: (value) => (value === null ? null : Buffer.from(value, "hex")),
    };
  }
  // Integers are passed as text, because JavaScript's numbers cannot hold all 64 bits.
  if (/int|text|char/i.test(dataType))
    return { name, select: sql<string>`cast(${column} as text)`.as(name), stored: (value) => value };
  throw new Error(`A backup has no form for ${dataType}, the type of column ${name} of table ${table}`);
}
