import { type DatabaseConnection, Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import { DatabaseError, Pool, type PoolClient, types } from "pg";
import Cursor from "pg-cursor";
import { singleConnection } from "./direct";
import type { Database } from "./schema";
import { CommitInDoubt, type Store, Unavailable } from "./store";

export interface PostgresOptions {
  /** `postgres://user:password@host:5432/database`; what else pg understands may follow as parameters. */
  readonly url: string;
  /** How many connections this server opens at most. */
  readonly pool: number;
}

// A query that takes longer, or a server that stops in the middle of a transaction, holds up others who want the same rows.
const LIMIT_MS = 10_000;
const LIMITS = {
  connectionTimeoutMillis: 5_000,
  statement_timeout: LIMIT_MS,
  idle_in_transaction_session_timeout: LIMIT_MS,
  query_timeout: LIMIT_MS + 5_000, // for a connection whose other end is gone: nobody is left there to keep the time
} as const;

const INT8 = 20; // the type's number in pg_type

/** Sequences are 64 bits wide in PostgreSQL, but stay below 2^53; pg would make texts of them. */
const TYPES = { getTypeParser: ((id, format) => (id === INT8 ? Number : types.getTypeParser(id, format))) as typeof types.getTypeParser };

// Each repetition means that another writer has finished, so a few are plenty.
const ATTEMPTS = 8;

/** Broken constraints (unique, foreign key), deadlocks and failed serialization: another writer was faster. */
const COLLISION = /^(23503|23505|40001|40P01)$/;

/**
 * Opens a PostgreSQL database, which any number of servers may share; none of them is special.
 *
 * Writers run side by side, each in a transaction that is READ COMMITTED and locks the rows it is about to
 * change (`for update`); the database's own constraints guard what rows of others may break: unique keys, and
 * references to what is being deleted. A writer that runs into a constraint has been overtaken since it looked;
 * it runs again, sees what overtook it, and refuses in its own words. That is simpler to be sure of than
 * SERIALIZABLE, which on small tables, read as a whole, makes nearly all writers collide with each other.
 */
export async function openPostgres({ url, pool }: PostgresOptions): Promise<Store> {
  const place = placeOf(url);
  const dialect = dialectOf(
    place,
    new Pool({ connectionString: url, max: pool, keepAlive: true, pipeline: true, types: TYPES, ...LIMITS }),
  );
  const db = new Kysely<Database>({ dialect });
  return {
    place,
    reader: db,
    write: (work) => repeatCollisions(() => transact(db, (connection) => work(singleConnection(dialect, connection)))),
    close: () => db.destroy(),
  };
}

/** One connection to the tables as they are, without limits for what may take long or wait for others: migrations, backup, restore. */
export function connectPostgres(url: string): Kysely<Database> {
  const { connectionTimeoutMillis } = LIMITS;
  const pool = new Pool({ connectionString: url, max: 1, connectionTimeoutMillis, types: TYPES });
  return new Kysely<Database>({ dialect: dialectOf(placeOf(url), pool) });
}

async function transact<T>(db: Kysely<Database>, work: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
  let committing = false;
  try {
    return await db
      .transaction()
      .setIsolationLevel("read committed")
      .execute(async (transaction) => {
        const result = await transaction.getExecutor().provideConnection(work);
        committing = true;
        return result;
      });
  } catch (error) {
    if (!(committing && error instanceof Unavailable)) throw error;
    throw new CommitInDoubt("The connection to the database was lost during a commit", error);
  }
}

async function repeatCollisions<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof DatabaseError && COLLISION.test(error.code ?? ""))) throw error;
      if (attempt === ATTEMPTS) throw new Unavailable(`Other writers were faster ${ATTEMPTS} times in a row`, error);
    }
  }
}

/** Host and database for people to read. Refuses what is no such URL, without repeating it: it may hold a password. */
export function placeOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // An "@", "#", "?" or "/" of a password that is not encoded would end up in the parts that are shown.
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || /[@#]/.test(url.pathname + url.search + url.hash)) {
    throw new Error(
      'The database URL must look like "postgres://user:password@host:5432/database", with percent-encoding where user or password have special characters (%40 for @)',
    );
  }
  return `postgres://${url.host}${url.pathname}`;
}

function dialectOf(place: string, pool: Pool): PostgresDialect {
  // Connections that break while nobody uses them leave the pool; without listeners, each would end the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return new PostgresDialect({ pool: adapt(pool, place), cursor: Cursor });
}

/** The pool in the form that Kysely takes, telling a database that cannot be used from a statement that is wrong. */
function adapt(pool: Pool, place: string): PostgresPool {
  const translate = (error: unknown) => (isOutage(error) ? new Unavailable(`${place}: ${wordsOf(error)}`, error) : error);
  return {
    options: {},
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect().catch((error: unknown) => Promise.reject(translate(error)));
      return adaptClient(client, translate);
    },
  };
}

function adaptClient(client: PoolClient, translate: (error: unknown) => unknown): PostgresPoolClient {
  let broken = false;
  const run = async (text: string, parameters: readonly unknown[]) => {
    try {
      return await client.query({ name: nameOf(text, parameters.length), text, values: parameters.map(storable) });
    } catch (error) {
      const translated = translate(error);
      broken ||= translated instanceof Unavailable;
      throw translated;
    }
  };
  const query = (statement: string | Cursor, parameters: readonly unknown[] = []) =>
    typeof statement === "string" ? run(statement, parameters) : client.query(statement);
  return { query: query as unknown as PostgresPoolClient["query"], release: (discard) => client.release(discard || broken) };
}

// What each connection prepares once, instead of having PostgreSQL read and plan it every time. Longer ones (lists of ids) differ each time.
const MOST_PARAMETERS = 16;
const MOST_NAMES = 500;
const names = new Map<string, string>();

/** The name under which a connection keeps a statement prepared, if it does. */
function nameOf(text: string, parameters: number): string | undefined {
  const known = names.get(text);
  if (known !== undefined || parameters === 0 || parameters > MOST_PARAMETERS || names.size >= MOST_NAMES) return known;
  const name = `tunnelplane_${names.size}`;
  names.set(text, name);
  return name;
}

/**
 * PostgreSQL takes no NUL in a text. None is stored (JSON escapes it), so one in an id that is asked for
 * becomes another character that no id has either.
 */
const storable = (value: unknown): unknown => (typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value);

// Classes of https://www.postgresql.org/docs/current/errcodes-appendix.html: connection, authorization, no such database,
// resources, operator intervention (shutdown, time limits), system errors; and a standby, and our limit on idle transactions.
const OUTAGES = /^(08|28|3D|53|57|58|25006|25P03)/;

/** What pg throws beside PostgreSQL's own answers is about the connection. */
const isOutage = (error: unknown): boolean => !(error instanceof DatabaseError) || OUTAGES.test(error.code ?? "");

/** A host with several addresses fails with one error for each. */
const wordsOf = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(wordsOf).join(", ") : (error as Error).message;
