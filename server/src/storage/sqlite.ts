import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { Kysely, type SelectModifierNode, SqliteDialect, SqliteQueryCompiler } from "kysely";
import { CommitQueue } from "./commitQueue";
import { migrate } from "./migrate";
import type { Database } from "./schema";
import type { Store } from "./store";

/** Opens the embedded database in a folder, making both where they do not exist. */
export async function openSqlite(folder: string): Promise<Store> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, "tunnelplane.db");
  const writer = connect(file);
  await migrate(writer);
  // A connection of its own, so that reads see what is committed and never wait for a write.
  const reader = connect(file);
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

function connect(file: string): Kysely<Database> {
  const database = new DatabaseSync(file);
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma busy_timeout = 5000");
  return new Kysely<Database>({ dialect: new EmbeddedDialect({ database: adapt(database) }) });
}

class EmbeddedDialect extends SqliteDialect {
  override createQueryCompiler() {
    return new WithoutRowLocks();
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
  const statements = new Map<string, StatementSync>();
  const prepared = (text: string): StatementSync => {
    const known = statements.get(text);
    if (known) return known;
    const statement = database.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  return {
    close: () => database.close(),
    prepare(text: string) {
      const statement = prepared(text);
      return {
        reader: statement.columns().length > 0,
        all: (parameters: readonly unknown[]) => statement.all(...(parameters as SQLInputValue[])),
        run: (parameters: readonly unknown[]) => statement.run(...(parameters as SQLInputValue[])),
        iterate: (parameters: readonly unknown[]) => statement.iterate(...(parameters as SQLInputValue[])),
      };
    },
  };
}
