import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  type SelectModifierNode,
  SqliteAdapter,
  SqliteDialect,
  type SqliteDialectConfig,
  SqliteDriver,
  SqliteQueryCompiler,
  type SqliteStatement,
  type TransactionSettings,
} from "kysely";
import { CommitQueue } from "./commitQueue";
import { singleConnection } from "./direct";
import type { Database } from "./schema";
import type { Store } from "./store";

// How long to wait for another process that writes. A server waits with everything else, so not for long; a migration may take minutes.
const WAIT_MS = 5_000;
const LONG_WAIT_MS = 10 * 60_000;
// How far the log of changes grows (4 KiB each) before a commit has to move it into the database: 16 MiB, four times SQLite's default.
// Of creations by 16 callers that brought the 99th percentile from 7 to 5 ms (2026-11-21, 2 cores).
const CHECKPOINT_PAGES = 4000;

/**
 * Opens the embedded database in a folder. Other processes on the same machine may
 * have it open as well, other servers too: writers take turns, and each sees what the others have committed.
 */
export async function openSqlite(folder: string): Promise<Store> {
  const file = fileIn(folder);
  const writer = await connectDirectly(file);
  // A connection of its own, so that reads see what is committed and never wait for a write.
  const reader = await connectDirectly(file);
  const queue = new CommitQueue(writer);
  return {
    place: folder,
    reader,
    write: (work) => queue.write(work),
    async close() {
      await queue.idle();
      await reader.destroy();
      await writer.destroy();
    },
  };
}

/** One connection as the tables are, for what may take long: migrations, backup, restore. Makes folder and file where they do not exist. */
export function connectSqlite(folder: string): Kysely<Database> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return connect(fileIn(folder), LONG_WAIT_MS);
}

/** Whether a folder holds an embedded database. */
export const isSqlite = (folder: string): boolean => existsSync(fileIn(folder));

const fileIn = (folder: string): string => join(folder, "tunnelplane.db");

const connect = (file: string, waitMs: number): Kysely<Database> => new Kysely<Database>({ dialect: dialectOf(file, waitMs) });

async function connectDirectly(file: string): Promise<Kysely<Database>> {
  const dialect = dialectOf(file, WAIT_MS);
  const driver = dialect.createDriver();
  await driver.init();
  return singleConnection(dialect, await driver.acquireConnection(), driver);
}

function dialectOf(file: string, waitMs: number): EmbeddedDialect {
  keepToOwner(file);
  const database = new DatabaseSync(file);
  // The time to wait comes first: two processes that make the file at once wait for each other already to choose its journal.
  database.exec(`pragma busy_timeout = ${waitMs}; pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on`);
  database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  return new EmbeddedDialect({ database: adapt(database) });
}

/**
 * Makes the file where it is missing, for its owner alone, and takes from others what an older version left open to them. SQLite
 * makes its log and its shared memory with the mode of the file. The folder is closed, too, unless it holds what is not ours.
 */
function keepToOwner(file: string): void {
  closeSync(openSync(file, "a", 0o600));
  for (const each of [file, `${file}-wal`, `${file}-shm`]) limitMode(each, 0o600);
  const folder = dirname(file);
  if (readdirSync(folder).every((name) => /^(tunnelplane\.db|master\.key)/.test(name))) limitMode(folder, 0o700);
}

function limitMode(path: string, mode: number): void {
  const found = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((found & 0o077) === 0 || process.platform === "win32") return;
  try {
    chmodSync(path, mode);
  } catch (error) {
    // Not a reason to serve nobody: its owner may have meant it, or its file system may know no modes.
    process.emitWarning(
      `Others may read ${path} (mode ${(found & 0o777).toString(8)}), and this process may not change that (${(error as Error).message}): run "chmod ${mode.toString(8)} ${path}" as its owner`,
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
    return new WithoutRowLocks();
  }
}

/** Kysely takes SQLite for a database that cannot undo a change of its tables; it can, so a migration is one transaction. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * Transactions that may write wait for other writers when they begin. One that has read before it writes cannot wait:
 * SQLite refuses it at once when another has written in between.
 */
class ImmediateDriver extends SqliteDriver {
  override async beginTransaction(connection: DatabaseConnection, { accessMode }: TransactionSettings = {}): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(accessMode === "read only" ? "begin" : "begin immediate"));
  }
}

/** SQLite has one writer at a time, and so no row locks and no words for them. */
class WithoutRowLocks extends SqliteQueryCompiler {
  protected override visitSelectModifier(node: SelectModifierNode): void {
    if (node.modifier !== "ForUpdate" && node.modifier !== "SkipLocked") super.visitSelectModifier(node);
  }
}

/** node:sqlite in the form that Kysely's dialect takes. Prepared statements are kept. */
function adapt(database: DatabaseSync) {
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
 * Rows come as arrays and become objects here: node:sqlite's own objects take 1.7 times as long to make and read (1.5 µs of a row with
 * five columns instead of 0.9, measured 2026-11-21 on 2 cores, Node 24).
 */
function adaptStatement(statement: StatementSync): SqliteStatement {
  const columns = statement.columns().map(({ name }) => name);
  statement.setReturnArrays(true);
  const rowOf = (values: readonly unknown[]) => {
    const row: Record<string, unknown> = {};
    for (let column = 0; column < columns.length; column++) row[columns[column] as string] = values[column];
    return row;
  };
  return {
    reader: columns.length > 0,
    all: (parameters) => (statement.all(...(parameters as SQLInputValue[])) as unknown as unknown[][]).map(rowOf),
    run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
    *iterate(parameters) {
      for (const values of statement.iterate(...(parameters as SQLInputValue[]))) yield rowOf(values as unknown as unknown[]);
    },
  };
}
