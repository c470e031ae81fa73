import type { Writable } from "node:stream";
import { messageOf } from "@tunnelplane/sdk/contract";
import {
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type QueryResult,
} from "kysely";
import { DatabaseError, Pool, type PoolClient, types } from "pg";
import Cursor from "pg-cursor";
import { Transaction } from "./direct";
import { Lanes } from "./lanes";
import type { Database } from "./schema";
import type { Query } from "./statement";
import { CommitInDoubt, type Store, Unavailable, type WriteOptions } from "./store";

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

const INT8 = 20; // the type's number in pg_type

/** Reads sequences as numbers: they have 64 bits in PostgreSQL but stay below 2^53. pg would return texts. */
const TYPES = {
  getTypeParser: ((id, format) =>
    id === INT8 ? Number : types.getTypeParser(id, format)) as typeof types.getTypeParser,
};

// Each retry means that another writer has finished, so a few are enough.
const ATTEMPTS = 8;

/** Broken constraints. */
const CONSTRAINT = /^23/;

/**
 * Broken constraints (unique, foreign key), deadlocks and failed serialization: another writer was faster.
 */
const COLLISION = /^(23503|23505|40001|40P01)$/;

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
  const opened = (max: number) =>
    withListeners(
      new Pool({ connectionString: url, max, keepAlive: true, pipeline: true, types: TYPES, ...LIMITS }),
    );
  const [shared, single] = [opened(pool), opened(1)];
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
    async close() {
      await single.end();
      await db.destroy();
    },
  };
}

/** One connection without time limits, for migrations, backup and restore. */
export function connectPostgres(url: string): Kysely<Database> {
  const { connectionTimeoutMillis } = LIMITS;
  const pool = new Pool({ connectionString: url, max: 1, connectionTimeoutMillis, types: TYPES });
  return new Kysely<Database>({
    dialect: new PostgresDialect({ pool: adapt(withListeners(pool), placeOf(url)), cursor: Cursor }),
  });
}

// The number of an advisory lock, which PostgreSQL leaves to applications.
const WRITERS = 7_086_001;

/** Runs transactions, each on a connection and in a lane. */
class Writer {
  readonly #lanes = new Lanes();

  constructor(
    private readonly dialect: PostgresDialect,
    private readonly pool: PostgresPool,
  ) {}

  async write<T>(
    work: (transaction: Transaction) => Promise<T>,
    { alone, optimistic = false }: WriteOptions,
  ): Promise<T> {
    const client = await this.pool.connect();
    const connection = new Connection(client, optimistic);
    const lane = this.#lanes.take();
    const transaction = new Transaction(this.dialect, connection, { isOptimistic: optimistic, lane });
    let committing = false;
    let broken = false;
    try {
      // Every writer shares this lock, so a writer that takes it exclusively (a rotation of keys) works
      // alone. Nothing waits for the answers: the first statements of the work are sent along, which saves a
      // round trip.
      const lock = alone ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared";
      connection.send(`start transaction isolation level read committed; select ${lock}(${WRITERS})`);
      const result = await work(transaction);
      committing = true;
      const { command } = await client.query("commit", []);
      // PostgreSQL answers a commit with ROLLBACK where a statement before it failed.
      if (command === "ROLLBACK")
        throw (
          (await connection.failure()) ??
          new Error("A transaction was committed in which a statement had failed")
        );
      lane.commit();
      this.#lanes.giveBack(lane);
      return result;
    } catch (error) {
      await client.query("rollback", []).catch(() => {
        broken = true;
      });
      const refused = await connection.failure();
      // An error of the database may only follow from the first one.
      const first = refused && isOfDatabase(error) ? refused : error;
      if (committing && error instanceof Unavailable && (first === error || !isAnswer(first))) {
        // Nobody knows how far the lane has come, so it is dropped.
        throw new CommitInDoubt("The connection to the database was lost during a commit", error);
      }
      lane.rollBack();
      this.#lanes.giveBack(lane);
      throw first;
    } finally {
      client.release(broken);
    }
  }
}

/** Whether the database refused a statement, so that its transaction cannot have been committed. */
const isAnswer = (error: unknown): boolean =>
  error instanceof DatabaseError || (error instanceof Unavailable && error.cause instanceof DatabaseError);

const isOfDatabase = (error: unknown): boolean =>
  error instanceof DatabaseError || error instanceof Unavailable;

/** A connection of the pool, as Kysely wants it. */
class Connection implements DatabaseConnection {
  readonly #sent: Promise<unknown>[] = [];

  constructor(
    private readonly client: PostgresPoolClient,
    /** Whether statements that only write are not waited for. */
    private readonly isOptimistic: boolean,
  ) {}

  async executeQuery<R>({ sql, parameters, isEffect }: Query): Promise<QueryResult<R>> {
    if (isEffect && this.isOptimistic) {
      this.send(sql, parameters);
      return { rows: [] };
    }
    const { rowCount, rows } = await this.client.query<R>(sql, parameters);
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) };
  }

  /** Sends a statement whose answer nobody waits for before the commit. */
  send(sql: string, parameters: readonly unknown[] = []): void {
    const answer = this.client.query(sql, parameters);
    answer.catch(() => undefined);
    this.#sent.push(answer);
  }

  /** The first error among the answers to what was sent, once all are there. */
  async failure(): Promise<unknown> {
    const ended = await Promise.allSettled(this.#sent);
    return ended.find((one) => one.status === "rejected")?.reason;
  }

  // biome-ignore lint/correctness/useYield: it only refuses
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("A transaction of a server reads no stream");
  }
}

async function repeatCollisions<T>(
  options: WriteOptions,
  write: (options: WriteOptions) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const optimistic = attempt === 1 && options.optimistic;
    try {
      return await write({ ...options, optimistic });
    } catch (error) {
      if (!(error instanceof DatabaseError && (optimistic ? CONSTRAINT : COLLISION).test(error.code ?? "")))
        throw error;
      if (attempt === ATTEMPTS)
        throw new Unavailable(`Other writers were faster ${ATTEMPTS} times in a row`, error);
    }
  }
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

/**
 * The pool drops idle connections that break. Without these listeners, their errors would end the process.
 */
function withListeners(pool: Pool): Pool {
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** Adapts the pool to Kysely, and turns outages into Unavailable, apart from errors in statements. */
function adapt(pool: Pool, place: string): PostgresPool {
  const translate = (error: unknown) =>
    isOutage(error) ? new Unavailable(`${place}: ${wordsOf(error)}`, error) : error;
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
  const gather = gathered((client as PoolClient & { connection: { stream: Writable } }).connection.stream);
  const run = async (text: string, parameters: readonly unknown[]) => {
    try {
      gather();
      return await client.query({
        name: nameOf(text, parameters.length),
        text,
        values: parameters.map(storable),
      });
    } catch (error) {
      const translated = translate(error);
      broken ||= translated instanceof Unavailable;
      throw translated;
    }
  };
  const query = (statement: string | Cursor, parameters: readonly unknown[] = []) =>
    typeof statement === "string" ? run(statement, parameters) : client.query(statement);
  return {
    query: query as unknown as PostgresPoolClient["query"],
    release: (discard) => client.release(discard || broken),
  };
}

/**
 * Sends everything together that is written in one turn of the event loop. pg writes each statement to the
 * socket, and those writes were 44 % of a server's processor time when it created objects (measured
 * 2026-11-22, 2 cores, Node 24).
 */
function gathered(stream: Writable): () => void {
  let isOpen = false;
  const send = () => {
    isOpen = false;
    stream.uncork();
  };
  return () => {
    if (isOpen) return;
    isOpen = true;
    stream.cork();
    process.nextTick(send);
  };
}

// Each connection prepares these statements once, so PostgreSQL parses and plans them once. Longer ones
// differ every time.
const MOST_PARAMETERS = 24;
const MOST_NAMES = 500;
const names = new Map<string, string>();

/** The name of a prepared statement; undefined for statements that are not prepared. */
function nameOf(text: string, parameters: number): string | undefined {
  const known = names.get(text);
  if (known !== undefined || parameters === 0 || parameters > MOST_PARAMETERS || names.size >= MOST_NAMES)
    return known;
  const name = `tunnelplane_${names.size}`;
  names.set(text, name);
  return name;
}

/**
 * PostgreSQL accepts no NUL in a text. Nothing stored contains one (JSON escapes it), so in a requested id it
 * is replaced by another character that no id has.
 */
const storable = (value: unknown): unknown =>
  typeof value === "string" ? value.replaceAll("\0", "\ufffd") : value;

// Classes of https://www.postgresql.org/docs/current/errcodes-appendix.html: connection, authorization, no
// such database, resources, operator intervention (shutdown, time limits), system errors; and a standby, and
// our limit on idle transactions.
const OUTAGES = /^(08|28|3D|53|57|58|25006|25P03)/;

/** Every error of pg that is not an answer of PostgreSQL is about the connection. */
const isOutage = (error: unknown): boolean =>
  !(error instanceof DatabaseError) || OUTAGES.test(error.code ?? "");

/** A host with several addresses fails with one error for each. */
const wordsOf = (error: unknown): string =>
  error instanceof AggregateError ? error.errors.map(wordsOf).join(", ") : messageOf(error);
