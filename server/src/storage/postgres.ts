import { Kysely, PostgresDialect, sql } from "kysely";
import { type CustomTypesConfig, Pool } from "pg";
import Cursor from "pg-cursor";
import { parserOf } from "./batch";
import { adapt, withListeners } from "./pool";
import type { Database } from "./schema";
import { statement } from "./statement";
import type { Store } from "./store";
import { repeatCollisions, Writer } from "./writer";

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database`, optionally with parameters of pg. */
  readonly url: string;
  /** Limit of this server's connections. */
  readonly pool: number;
}

// Limits how long a slow query, or a server that stopped in a transaction, can block others on the same rows.
const LIMIT_MS = 10_000;
const LIMITS = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: LIMIT_MS,
  idle_in_transaction_session_timeout: LIMIT_MS,
  query_timeout: LIMIT_MS + 5_000, // on our side too, for a connection to a database that has died
} as const;

const TYPES: CustomTypesConfig = { getTypeParser: parserOf };

/**
 * For the one connection that empties the inbox. That table has few rows and thousands of deleted ones, so
 * the planner may read all of it: 17 % of PostgreSQL's processor time of creations (measured 2026-11-28).
 */
const BY_INDEX = "set enable_seqscan = off";

/**
 * Opens a PostgreSQL database, which any number of servers may share as equals.
 *
 * Writers run in parallel, each in a READ COMMITTED transaction that locks the rows it changes (`for
 * update`). Constraints of the database guard what other writers may break: unique keys, and references to
 * objects that are being deleted. A writer that violates a constraint was too late; it runs again, sees the
 * other writer's change, and answers a proper refusal. This is easier to reason about than SERIALIZABLE,
 * which makes nearly all writers of small tables collide.
 */
export async function openPostgres({ url, pool }: PostgresOptions): Promise<Store> {
  const place = placeOf(url);
  const opened = (max: number, settings?: string) =>
    withListeners(
      new Pool({ connectionString: url, max, keepAlive: true, pipeline: true, types: TYPES, ...LIMITS }),
      settings,
    );
  const [shared, single] = [opened(pool), opened(1, BY_INDEX)];
  const dialect = new PostgresDialect({ pool: adapt(shared, place), cursor: Cursor });
  const writer = new Writer(dialect, adapt(shared, place));
  const singleWriter = new Writer(dialect, adapt(single, place));
  const db = new Kysely<Database>({ dialect });
  return {
    place,
    isParallel: true,
    reader: db,
    write: (work, options = {}) =>
      repeatCollisions(options, (attempt) =>
        (attempt.onOwnConnection ? singleWriter : writer).write(work, attempt),
      ),
    async now() {
      const [row] = await clock(db, {});
      return Number(row?.now);
    },
    async close() {
      await single.end();
      await db.destroy();
    },
  };
}

const clock = statement<object, { now: number }>((db) =>
  db.selectNoFrom(sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`.as("now")),
);

/** One connection without time limits, for migrations, backup and restore. */
export function connectPostgres(url: string): Kysely<Database> {
  const { connectionTimeoutMillis } = LIMITS;
  const pool = new Pool({ connectionString: url, max: 1, connectionTimeoutMillis, types: TYPES });
  return new Kysely<Database>({
    dialect: new PostgresDialect({ pool: adapt(withListeners(pool), placeOf(url)), cursor: Cursor }),
  });
}

/**
 * Host and database, for people. Refuses an invalid URL without repeating it, because it may hold a password.
 */
export function placeOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // An unencoded "@", "#", "?" or "/" would put part of a password into the shown parts.
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || /[@#]/.test(url.pathname + url.search + url.hash)) {
    throw new Error(
      'The database URL must look like "postgres://user:password@host:5432/database", with percent-encoding where user or password have special characters (%40 for @)',
    );
  }
  return `postgres://${url.host}${url.pathname}`;
}
