import type { Kysely } from "kysely";
import { migrate, requireMigrated } from "./migrate";
import { connectPostgres, openPostgres, placeOf } from "./postgres";
import type { Database } from "./schema";
import { connectSqlite, isSqlite, openSqlite } from "./sqlite";
import type { Store } from "./store";

/** Which database to use. */
export interface DatabaseOptions {
  /** Folder of the embedded database, where there is no other. */
  readonly data: string;
  /** A PostgreSQL database to use instead. */
  readonly databaseUrl?: string;
}

export interface StoreOptions extends DatabaseOptions {
  readonly databasePool: number;
  /** Take the database as it is: make nothing, and refuse one that has not this version's tables. */
  readonly existing?: boolean;
}

/** Opens the database that a server serves from, making or migrating it where that is needed. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { data, databaseUrl, databasePool, existing } = options;
  if (existing) requireDatabase(options);
  const db = connectTo(options);
  await (existing ? requireMigrated(db, databaseName(options)) : migrate(db)).finally(() => db.destroy());
  return databaseUrl ? openPostgres({ url: databaseUrl, pool: databasePool }) : openSqlite(data);
}

/** One connection to a database as it is, for what may take long: backup, restore. The embedded one is made where there is none. */
export const connectTo = ({ data, databaseUrl }: DatabaseOptions): Kysely<Database> =>
  databaseUrl ? connectPostgres(databaseUrl) : connectSqlite(data);

/** Reads what there is at one moment, whatever is written meanwhile and however long it takes. */
export async function inSnapshot<T>(database: DatabaseOptions, work: (snapshot: Kysely<Database>) => Promise<T>): Promise<T> {
  requireDatabase(database);
  const db = connectTo(database);
  try {
    // On SQLite a transaction is a snapshot whatever its level, and readers hold up no writer.
    return await db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(work);
  } finally {
    await db.destroy();
  }
}

/** Where a database is, for people to read. Holds no password. */
export const databaseName = ({ data, databaseUrl }: DatabaseOptions): string => (databaseUrl ? placeOf(databaseUrl) : data);

/** Refuses a folder without a database, before one is made there. Of a PostgreSQL database only connecting tells. */
function requireDatabase({ data, databaseUrl }: DatabaseOptions): void {
  if (!databaseUrl && !isSqlite(data)) throw new Error(`There is no database in ${data}; name its folder with --data`);
}
