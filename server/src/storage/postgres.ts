import { Kysely, PostgresDialect, sql } from "kysely";
import { Client, type ClientConfig, type CustomTypesConfig, Pool, type PoolConfig } from "pg";
import Cursor from "pg-cursor";
import { parserOf } from "./batch";
import { readConnection } from "./connectionString";
import { Hosts } from "./hosts";
import { adapt, begin } from "./pool";
import { refuseUnusable } from "./refusals";
import type { Database } from "./schema";
import { statement } from "./statement";
import { type Store, Unavailable } from "./store";
import { logOfReads } from "./tracing";
import { Watch } from "./watch";
import { repeatCollisions, Writer } from "./writer";

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database`, optionally with parameters of pg. */
  readonly url: string;
  /** Limit of this server's connections. */
  readonly pool: number;
}

// Limits how long a slow query, or a server that stopped in a transaction, can block others on the same rows.
const LIMIT_MS = 10_000;
const LIMITS = [
  `set statement_timeout = ${LIMIT_MS}`,
  `set idle_in_transaction_session_timeout = ${LIMIT_MS}`,
];
const CONNECTION = { connectionTimeoutMillis: 5_000, keepAlive: true, keepAliveInitialDelayMillis: 1_000 };

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
  const hosts = new Hosts(readConnection(url));
  const watch = new Watch(() => hosts.url);
  const opened = (max: number, more: readonly string[] = []) => {
    // On our side there is a limit too, for a connection to a database that has died.
    const limits = { max, pipeline: true, query_timeout: LIMIT_MS + 5_000 };
    return poolAt(hosts, { ...limits, onConnect: begin([...LIMITS, ...more], watch) });
  };
  const [shared, single] = [opened(pool), opened(1, [BY_INDEX])];
  const dialect = new PostgresDialect({ pool: adapt(shared, hosts, watch), cursor: Cursor });
  const writer = new Writer(dialect, adapt(shared, hosts, watch));
  const singleWriter = new Writer(dialect, adapt(single, hosts, watch));
  const db = new Kysely<Database>({ dialect, log: logOfReads() });
  return {
    label: hosts.label,
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
    async ready() {
      const [row] = await state(db, {});
      if (row?.read_only !== "on") return;
      hosts.doubt();
      throw new Unavailable(
        `${hosts.label} can only be read: it is a standby, or was made read-only`,
        undefined,
      );
    },
    async close() {
      watch.close();
      await single.end();
      await db.destroy();
    },
  };
}

const clock = statement<object, { now: number }>((db) =>
  db.selectNoFrom(sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`.as("now")),
);

const state = statement<object, { read_only: string }>((db) =>
  db.selectNoFrom(sql<string>`current_setting('transaction_read_only')`.as("read_only")),
);

/** A pool whose connections go where `hosts` says at that time. */
function poolAt(hosts: Hosts, options: PoolConfig): Pool {
  class Here extends Client {
    constructor(config?: ClientConfig) {
      super({ ...config, connectionString: hosts.url });
    }
  }
  const pool = new Pool({ ...options, ...CONNECTION, types: TYPES, Client: Here });
  // It drops idle connections that break; without a listener, their errors would end the process.
  pool.on("error", () => undefined);
  return pool;
}

/** One connection without time limits, for migrations, backup and restore. */
export function connectPostgres(url: string): Kysely<Database> {
  const hosts = new Hosts(readConnection(url));
  const pool = poolAt(hosts, { max: 1, onConnect: begin() });
  return new Kysely<Database>({
    dialect: new PostgresDialect({ pool: adapt(pool, hosts), cursor: Cursor }),
  });
}

/** @throws Error in one line for a database that a server cannot work with */
export async function requireUsable(url: string): Promise<void> {
  const hosts = new Hosts(readConnection(url));
  await hosts.choose();
  await refuseUnusable(hosts.url, hosts.label);
}
