import type { Kysely } from "kysely";
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

/** Opens the database that a server serves from, making or migrating it where that is needed. */
export const openStore = ({ data, databaseUrl, databasePool }: DatabaseOptions & { readonly databasePool: number }): Promise<Store> =>
  databaseUrl ? openPostgres({ url: databaseUrl, pool: databasePool }) : openSqlite(data);

/** One connection to a database as it is, for what may take long: backup, restore. The embedded one is made where there is none. */
export const connectTo = ({ data, databaseUrl }: DatabaseOptions): Kysely<Database> =>
  databaseUrl ? connectPostgres(databaseUrl) : connectSqlite(data);

/** Where a database is, for people to read. Holds no password. */
export const databaseName = ({ data, databaseUrl }: DatabaseOptions): string => (databaseUrl ? placeOf(databaseUrl) : data);

/** Whether there is none yet. Of a PostgreSQL database only connecting tells. */
export const isMissing = ({ data, databaseUrl }: DatabaseOptions): boolean => !databaseUrl && !isSqlite(data);
