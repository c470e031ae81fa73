import type { DatabaseConnection, PostgresDialect, QueryResult } from "kysely";
import { DatabaseError } from "pg";
import { COMMIT, isRefusal, type Outcome, type Sent } from "./batch";
import { Transaction } from "./direct";
import { Lanes } from "./lanes";
import type { AdaptedPool, PooledClient } from "./pool";
import type { Query } from "./statement";
import { CommitInDoubt, Unavailable, type WriteOptions } from "./store";

// Each retry means that another writer has finished, so a few are enough.
const ATTEMPTS = 8;

/** Broken constraints. */
const CONSTRAINT = /^23/;

/**
 * Broken constraints (unique, foreign key), deadlocks and failed serialization: another writer was faster.
 */
const COLLISION = /^(23503|23505|40001|40P01)$/;

/** Runs transactions, each on a connection and in a lane. */
export class Writer {
  readonly #lanes = new Lanes();

  constructor(
    private readonly dialect: PostgresDialect,
    private readonly pool: AdaptedPool,
  ) {}

  async write<T>(
    work: (transaction: Transaction) => Promise<T>,
    { alone, optimistic = false }: WriteOptions,
  ): Promise<T> {
    const client = await this.pool.connect();
    const connection = new Connection(client, { alone, isOptimistic: optimistic });
    const lane = this.#lanes.take();
    const transaction = new Transaction(this.dialect, connection, { isOptimistic: optimistic, lane });
    let committing = false;
    let broken = false;
    try {
      const result = await work(transaction);
      committing = true;
      await connection.commit();
      lane.commit();
      this.#lanes.giveBack(lane);
      return result;
    } catch (error) {
      await connection.rollBack().catch(() => {
        broken = true;
      });
      if (committing && error instanceof Unavailable && !isRefusal(error.cause)) {
        // It is unknown whether the lane's rows are stored, so the lane is dropped.
        throw new CommitInDoubt("The connection to the database was lost during a commit", error);
      }
      lane.rollBack();
      this.#lanes.giveBack(lane);
      throw error;
    } finally {
      client.release(broken);
    }
  }
}

const START: Sent = { sql: "start transaction", parameters: [], isEffect: true };
const ROLLBACK: Sent = { sql: "rollback", parameters: [], isEffect: true };

// The number of an advisory lock, which PostgreSQL leaves to applications.
const WRITERS = 7_086_001;

/**
 * Every writer shares this lock, so a writer that takes it exclusively (a rotation of keys) is the only one.
 * It is a statement of its own: what the next ones read is as new as the lock.
 */
const lockOf = (name: string): Sent => ({
  sql: `select ${name}(${WRITERS})`,
  parameters: [],
  isEffect: true,
});
const LOCK_SHARED = lockOf("pg_advisory_xact_lock_shared");
const LOCK_ALONE = lockOf("pg_advisory_xact_lock");

/** A transaction on a connection of the pool, as Kysely wants it. */
class Connection implements DatabaseConnection {
  readonly #isOptimistic: boolean;
  readonly #lock: Sent;
  /** Statements that wait to be sent, with the next one that reads or with the commit. */
  #waiting: Sent[] = [];
  #isBegun = false;

  constructor(
    private readonly client: PooledClient,
    { isOptimistic, alone = false }: { isOptimistic: boolean; alone?: boolean },
  ) {
    this.#isOptimistic = isOptimistic;
    this.#lock = alone ? LOCK_ALONE : LOCK_SHARED;
  }

  async executeQuery<R>(query: Query): Promise<QueryResult<R>> {
    if (query.isEffect && this.#isOptimistic) {
      this.#waiting.push(query);
      return { rows: [] };
    }
    const { rowCount, rows } = await this.#send(query, this.#isBegun ? [] : [START, this.#lock]);
    return { rows: rows as R[], numAffectedRows: BigInt(rowCount) };
  }

  /** Statements that were sent together are a transaction of their own, without start and commit. */
  async commit(): Promise<void> {
    if (!this.#isBegun && this.#waiting.length === 0) return;
    if (!this.#isBegun) return void (await this.client.sendTogether([this.#lock, ...this.#take()]));
    // PostgreSQL answers a commit with ROLLBACK where a statement before it failed.
    if ((await this.#send(COMMIT)).command === "ROLLBACK")
      throw new Error("A transaction was committed in which a statement had failed");
  }

  async rollBack(): Promise<void> {
    this.#waiting = [];
    if (this.#isBegun) await this.#send(ROLLBACK);
  }

  #send(statement: Sent, first: readonly Sent[] = []): Promise<Outcome> {
    this.#isBegun = true;
    return this.client.sendTogether([...first, ...this.#take(), statement]);
  }

  #take(): Sent[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  // biome-ignore lint/correctness/useYield: it only refuses
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error("A transaction of a server reads no stream");
  }
}

/** Runs a transaction again if another writer was faster. */
export async function repeatCollisions<T>(
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
