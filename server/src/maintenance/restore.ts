import { counted } from "@tunnelplane/sdk/contract";
import { type Kysely, PostgresAdapter, sql } from "kysely";
import {
  connectTo,
  type Database,
  type DatabaseOptions,
  databaseName,
  MIGRATIONS,
  migrate,
  NewerSchema,
} from "../storage";
import { type Counts, decode, type Entry, readHeader } from "./file";
import { byName, type Table, tablesOf } from "./tables";

/** Limits of one insert: databases limit its parameters (SQLite to 32,766), and memory limits its texts. */
const PARAMETERS = 5_000;
const CHARACTERS = 1024 * 1024;

/**
 * Restores a backup into an empty database of either kind and migrates it to this version. All or nothing: it
 * reads the file to its end first, then writes in one transaction. Returns the number of rows by table.
 * @param migrations default: those of this version
 */
export async function restore(
  database: DatabaseOptions,
  file: string,
  migrations = MIGRATIONS,
): Promise<Counts> {
  const { schema } = await readHeader(file);
  if (!(schema in migrations)) throw new NewerSchema(file, schema, migrations);
  await load(decode(file), async () => undefined);
  const db = connectTo(database);
  try {
    return await db.transaction().execute(async (transaction) => {
      await requireEmpty(transaction, databaseName(database));
      await migrate(transaction, { to: schema, migrations });
      const tables = await tablesOf(transaction);
      // Remove rows that migrations inserted: the backup holds its own version of them.
      for (const { name } of tables.toReversed()) await byName(transaction).deleteFrom(name).execute();
      const counts = await load(decode(file), (name, columns, rows) =>
        insert(transaction, tables, name, columns, rows),
      );
      await resumeNumbers(transaction);
      await migrate(transaction, { migrations });
      return counts;
    });
  } finally {
    await db.destroy();
  }
}

const isPostgres = (db: Kysely<Database>): boolean => db.getExecutor().adapter instanceof PostgresAdapter;

/** Lets numbers that PostgreSQL counts itself go on behind the restored ones. */
async function resumeNumbers(transaction: Kysely<Database>): Promise<void> {
  if (!isPostgres(transaction)) return;
  for (const { name, columns } of await transaction.introspection.getTables()) {
    for (const column of columns.filter(({ isAutoIncrementing }) => isAutoIncrementing)) {
      await sql`select setval(pg_get_serial_sequence(${name}, ${column.name}), coalesce(max(${sql.ref(column.name)}), 0) + 1, false)
        from ${sql.table(name)}`.execute(transaction);
    }
  }
}

async function requireEmpty(db: Kysely<Database>, label: string): Promise<void> {
  const tables = await tablesOf(db);
  if (tables.length === 0) return;
  let rows = 0;
  for (const { name } of tables) {
    const rowsOf = byName(db)
      .selectFrom(name)
      .select(({ fn }) => fn.countAll<number>().as("count"));
    rows += Number((await rowsOf.executeTakeFirstOrThrow()).count);
  }
  throw new Error(
    `${label} is not empty (${counted(tables.length, "table")}, ${counted(rows, "row")}) and was left as it is: restore into a new folder or database`,
  );
}

type Rows = (readonly (string | null)[])[];

/** Reads entries and passes on the rows of a table, many at a time. */
async function load(
  entries: AsyncGenerator<Entry, Counts>,
  take: (table: string, columns: readonly string[], rows: Rows) => Promise<void>,
): Promise<Counts> {
  let table = "";
  let columns: readonly string[] = [];
  let rows: Rows = [];
  let characters = 0;
  const flush = async () => {
    if (rows.length > 0) await take(table, columns, rows);
    rows = [];
    characters = 0;
  };
  for (;;) {
    const { done, value } = await entries.next();
    if (done || "table" in value) await flush();
    if (done) return value;
    if ("table" in value) {
      ({ table, columns } = value);
      continue;
    }
    rows.push(value);
    for (const text of value) characters += text?.length ?? 0;
    if ((rows.length + 1) * columns.length > PARAMETERS || characters > CHARACTERS) await flush();
  }
}

async function insert(
  db: Kysely<Database>,
  tables: readonly Table[],
  name: string,
  names: readonly string[],
  rows: Rows,
): Promise<void> {
  const known = tables.find((table) => table.name === name)?.columns ?? [];
  const columns = names.map((column) => known.find((candidate) => candidate.name === column));
  const values = rows.map((row) =>
    Object.fromEntries(
      columns.map((column, index) => {
        if (!column)
          throw new Error(
            `The backup has a column ${names[index]} of table ${name}, which its schema does not have`,
          );
        return [column.name, column.stored(row[index] ?? null)];
      }),
    ),
  );
  await byName(db).insertInto(name).values(values).execute();
}
