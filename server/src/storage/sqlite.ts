import { chmodSync, closeSync, existsSync, openSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { messageOf } from "@tunnelplane/sdk/contract";
import { makeFolder } from "@tunnelplane/sdk/node";
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type LimitNode,
  type QueryResult,
  type SelectModifierNode,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  SqliteQueryCompiler,
  type SqliteStatement,
  type TransactionSettings,
} from "kysely";
import { giveToOwnerOfFolder } from "../util";
import { CommitQueue, isBusy } from "./commitQueue";
import { singleConnection, Transaction } from "./direct";
import type { Database } from "./schema";
import type { Store } from "./store";

// How long to wait for another process that writes. Short for a server, whose requests all wait; a migration
// may take minutes.
const WAIT_MS = 5_000;
const LONG_WAIT_MS = 10 * 60_000;
const RETRY_MS = 5;
// The write-ahead log grows to this many pages of 4 KiB before a commit moves it into the database: 16 MiB,
// four times the default. With creations by 16 callers, that lowered the 99th percentile from 7 to 5 ms
// (2026-11-21, 2 cores).
const CHECKPOINT_PAGES = 4000;
// Of each connection, in KiB. With SQLite's default of 2 MiB, each look-up by id among a million objects read
// two pages anew.
const CACHE_KIB = 16 * 1024;

/**
 * Opens the embedded database in a folder. Other processes on the same machine, including servers, may open
 * it too: writers take turns, and each sees what the others have committed.
 */
export async function openSqlite(folder: string): Promise<Store> {
  const file = fileIn(folder);
  const writer = connectDirectly(file);
  // A savepoint keeps each page that changes as it was. Keeping them in a file took half of the processor
  // time of a creation's statements (67 µs instead of 37, measured 2026-11-22 on 2 cores, Node 24).
  writer.database.exec("pragma temp_store = memory");
  // The queue waits for other processes itself.
  writer.database.exec("pragma busy_timeout = 0");
  // A separate connection, so that reads see only committed data and never wait for a write.
  const reader = connectDirectly(file);
  const queue = new CommitQueue(
    new Transaction(writer.dialect, writer.connection, { isOptimistic: false, lane: undefined }),
    WAIT_MS,
  );
  return {
    label: folder,
    isParallel: false,
    reader: singleConnection(reader.dialect, reader.connection),
    write: (work, options) => queue.write(work, options),
    now: async () => Date.now(),
    ready: async () => void reader.database.prepare("select name from setting limit 1").get(),
    async close() {
      await queue.idle();
      reader.database.close();
      writer.database.close();
    },
  };
}

/** One connection for migrations, backup and restore. Creates folder and file if they do not exist. */
export function connectSqlite(folder: string): Kysely<Database> {
  if (!isSqlite(folder)) makeFolder(folder, "name a folder of this user's with --data");
  return connect(fileIn(folder), LONG_WAIT_MS);
}

/** Whether a folder holds an embedded database. */
export const isSqlite = (folder: string): boolean => existsSync(fileIn(folder));

const fileIn = (folder: string): string => join(folder, "tunnelplane.db");

const connect = (file: string, waitMs: number): Kysely<Database> =>
  new Kysely<Database>({ dialect: new EmbeddedDialect({ database: adapt(openFile(file, waitMs)) }) });

function connectDirectly(file: string) {
  const database = openFile(file, WAIT_MS);
  const adapted = adapt(database);
  return {
    database,
    dialect: new EmbeddedDialect({ database: adapted }),
    connection: new EmbeddedConnection(adapted),
  };
}

function openFile(file: string, waitMs: number): DatabaseSync {
  restrictToOwner(file);
  const database = new DatabaseSync(file);
  database.exec(`pragma busy_timeout = ${waitMs}`);
  beginWriteAheadLog(database, waitMs);
  database.exec("pragma synchronous = full; pragma foreign_keys = on");
  database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma cache_size = -${CACHE_KIB}`);
  return database;
}

/**
 * Two processes that create the file at once both want its only lock for this. SQLite then refuses one of
 * them without waiting, whatever busy_timeout says: 5 of 120 processes, measured 2026-11-25 on 2 cores, Node
 * 24.
 */
function beginWriteAheadLog(database: DatabaseSync, waitMs: number): void {
  const end = performance.now() + waitMs;
  for (;;) {
    try {
      database.exec("pragma journal_mode = wal");
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > end) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

/**
 * Creates the file for its owner only, and removes the access of others. SQLite creates its log and
 * shared memory with the mode of the file. The folder is closed too, unless it holds other files.
 */
function restrictToOwner(file: string): void {
  const isNew = !existsSync(file);
  closeSync(openSync(file, "a", 0o600));
  if (isNew) giveToOwnerOfFolder(file);
  for (const each of [file, `${file}-wal`, `${file}-shm`]) limitMode(each, 0o600);
  const folder = dirname(file);
  if (readdirSync(folder).every((name) => /^(tunnelplane\.db|master\.key)/.test(name)))
    limitMode(folder, 0o700);
}

function limitMode(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((found & 0o077) === 0 || process.platform === "win32") return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    // No reason to refuse to start: the owner may want it so, or the file system may have no modes.
    process.emitWarning(
      `Others may read ${path} (mode ${(found & 0o777).toString(8)}), and this process may not change that (${messageOf(error)}): run "chmod ${mode.toString(8)} ${path}" as its owner`,
    );
  }
}

class EmbeddedDialect extends SqliteDialect {
  readonly #config: SqliteDialectConfig;

  constructor(config: SqliteDialectConfig) {
    super(config);
    this.#config = config;
  }

  override createAdapter() {
    return new TransactionalAdapter();
  }

  override createDriver() {
    return new ImmediateDriver(this.#config);
  }

  override createQueryCompiler() {
    return new EmbeddedQueryCompiler();
  }
}

/**
 * Kysely assumes that SQLite cannot roll back a change of tables. It can, so a migration is one transaction.
 */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Makes transactions wait for other writers when they begin. A transaction that reads first and then writes
 * cannot wait: SQLite refuses it at once if another one wrote in between.
 */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(
    connection: DatabaseConnection,
    { accessMode }: TransactionSettings = {},
  ): Promise<void> {
    await connection.executeQuery(
      CompiledQuery.raw(accessMode === "read only" ? "begin" : "begin immediate"),
    );
  }

  /** Where a disk is full, SQLite has rolled back itself; refusing that again would hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await super.rollbackTransaction(connection).catch((error: unknown) => {
      if (!/no transaction is active/.test(messageOf(error))) throw error;
    });
  }
}

const ROW_LOCKS = new Set<unknown>(["ForUpdate", "ForShare", "SkipLocked"]);

class EmbeddedQueryCompiler extends SqliteQueryCompiler {
  /** SQLite has one writer at a time, so it has no row locks and no syntax for them. */
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (!ROW_LOCKS.has(node.modifier)) super.visitSelectModifier(node);
  }

  /**
   * SQLite prepares a statement anew each time a limit that is a bare parameter gets its value: 13 µs of a
   * page of 100 objects that takes 69 (measured 2026-11-27 on 2 cores, SQLite 3.53). An expression spares
   * that.
   */
  protected override visitLimit({ limit }: LimitNode): void {
    this.append("limit +");
    this.visitNode(limit);
  }
}

/**
 * Runs statements at once: each step that Kysely's own connection waits for costs as much as a small
 * statement.
 */
class EmbeddedConnection implements DatabaseConnection {
  constructor(private readonly database: SqliteDatabase) {}

  executeQuery<R>({ sql, parameters }: CompiledQuery): Promise<QueryResult<R>> {
    try {
      const statement = this.database.prepare(sql);
      // Kysely derives R from the statement; SQLite cannot know it.
      if (statement.reader) return Promise.resolve({ rows: statement.all(parameters) as R[] });
      return Promise.resolve({ rows: [], numAffectedRows: BigInt(statement.run(parameters).changes) });
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async *streamQuery<R>({ sql, parameters }: CompiledQuery): AsyncIterableIterator<QueryResult<R>> {
    for (const row of this.database.prepare(sql).iterate(parameters)) yield { rows: [row as R] };
  }
}

/** Adapts node:sqlite to Kysely's dialect. Keeps prepared statements. */
function adapt(database: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>();
  return {
    close: () => database.close(),
    prepare(text: string) {
      const known = statements.get(text);
      if (known) return known;
      const statement = adaptStatement(database.prepare(text));
      statements.set(text, statement);
      return statement;
    },
  };
}

/**
 * Reads rows as arrays and makes the objects here: node:sqlite's own objects take 1.7 times as long to make
 * and read (1.5 µs for a row of five columns instead of 0.9, measured 2026-11-21 on 2 cores, Node 24).
 */
function adaptStatement(statement: StatementSync): SqliteStatement {
  const columns = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  const inputs = (parameters: readonly unknown[]) => parameters as SQLInputValue[]; // Kysely types none
  // node:sqlite's types know objects only. A list has the numbers of its columns as names.
  const rowOf = (values: Record<number, unknown>) => {
    const row: Record<string, unknown> = {};
    for (let column = 0; column < columns.length; column++) row[columns[column] as string] = values[column];
    return row;
  };
  return {
    reader: columns.length > 0,
    all: (parameters) => statement.all(...inputs(parameters)).map(rowOf),
    run: (parameters) => statement.run(...inputs(parameters)),
    *iterate(parameters) {
      for (const values of statement.iterate(...inputs(parameters))) yield rowOf(values);
    },
  };
}
