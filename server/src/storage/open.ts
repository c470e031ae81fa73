import { traced, tracing } from "@tunnelplane/sdk/tracing";
import type { Kysely } from "kysely";
import { readConnection } from "./connectionString";
import { migrate, requireMigrated } from "./migrate";
import type * as Postgres from "./postgres";
import type { Database } from "./schema";
import { connectSqlite, isSqlite, openSqlite } from "./sqlite";
import type { Store } from "./store";

/** Which database to use. */
export interface DatabaseOptions {
  /** Folder of the embedded database. */
  readonly data: string;
  /** A PostgreSQL database to use instead. */
  readonly databaseUrl?: string;
}

export interface StoreOptions extends DatabaseOptions {
  readonly databasePool: number;
  /** Open an existing database only: create and migrate nothing. */
  readonly existing?: boolean;
}

/** Loaded where it is used: half of what a server has of other people's code for databases. */
const postgres = () => require("./postgres") as typeof Postgres;

/** Opens a server's database; creates or migrates it if necessary. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { data, databaseUrl, databasePool, existing } = options;
  if (existing) requireDatabase(options);
  if (databaseUrl) await postgres().requireUsable(databaseUrl);
  const db = connectTo(options);
  await (existing ? requireMigrated(db, databaseName(options)) : migrate(db)).finally(() => db.destroy());
  return tracedWrites(
    await (databaseUrl
      ? postgres().openPostgres({ url: databaseUrl, pool: databasePool })
      : openSqlite(data)),
  );
}

/**
 * The same store; where requests are traced, each transaction is a span of the request that wants it. Writers
 * that take turns work for several requests, so the work is told whose it is.
 */
function tracedWrites(store: Store): Store {
  const tracer = tracing();
  if (!tracer) return store;
  return {
    ...store,
    write(work, options) {
      if (!tracer.current()) return store.write(work, options);
      return traced("transaction", { kind: "client" }, (span) =>
        store.write((transaction) => tracer.within(span, () => work(transaction)), options),
      );
    },
  };
}

/**
 * One connection without time limits or migrations, for backup and restore. Creates an embedded database if
 * there is none.
 */
export const connectTo = ({ data, databaseUrl }: DatabaseOptions): Kysely<Database> =>
  databaseUrl ? postgres().connectPostgres(databaseUrl) : connectSqlite(data);

/** Reads a snapshot, however long that takes, while others write. */
export async function inSnapshot<T>(
  database: DatabaseOptions,
  work: (snapshot: Kysely<Database>) => Promise<T>,
): Promise<T> {
  requireDatabase(database);
  const db = connectTo(database);
  try {
    // On SQLite every transaction is a snapshot, and readers do not block writers.
    return await db
      .transaction()
      .setIsolationLevel("repeatable read")
      .setAccessMode("read only")
      .execute(work);
  } finally {
    await db.destroy();
  }
}

/** The name of a database for people, without a password. */
export const databaseName = ({ data, databaseUrl }: DatabaseOptions): string =>
  databaseUrl ? readConnection(databaseUrl).label : data;

/**
 * Refuses a folder without a database, so that none is created there. For PostgreSQL only connecting can show
 * it.
 */
function requireDatabase({ data, databaseUrl }: DatabaseOptions): void {
  if (!databaseUrl && !isSqlite(data))
    throw new Error(`There is no database in ${data}; name its folder with --data`);
}
