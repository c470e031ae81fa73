import { createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Kysely } from "kysely";
import { type Anchor, headOf } from "../journal";
import { type Database, type DatabaseOptions, databaseName, inSnapshot, schemaOf } from "../storage";
import { type Counts, type Entry, encode } from "./file";
import { byName, type Table, tablesOf } from "./tables";

/** As a file's name, this means standard output. */
export const STDOUT = "-";

const PAGE = 500;

interface BackedUp {
  /** Number of rows by table. */
  readonly counts: Counts;
  /** The head of the audit log; absent before the first start. */
  readonly head: Anchor | undefined;
}

/**
 * Writes a snapshot of a database into a file, while servers run. The file gets its name when it is complete
 * and on the disk. Only its owner can read it.
 */
export async function backUp(database: DatabaseOptions, file: string, version: string): Promise<BackedUp> {
  return inSnapshot(database, async (snapshot) => {
    const schema = await schemaOf(snapshot);
    if (schema === undefined) throw new Error(`${databaseName(database)} holds no database of tunnelplane`);
    const tables = await tablesOf(snapshot);
    const head = await headOf(snapshot);
    const header = {
      server: version,
      schema,
      created_at: new Date().toISOString(),
      ...(head && { audit_head: head }),
    };
    return { counts: await write(file, encode(header, entriesOf(snapshot, tables))), head };
  });
}

async function* entriesOf(db: Kysely<Database>, tables: readonly Table[]): AsyncGenerator<Entry> {
  for (const { name, columns } of tables) {
    yield { table: name, columns: columns.map((column) => column.name) };
    const rows = byName(db)
      .selectFrom(name)
      .select(columns.map(({ select }) => select));
    for await (const row of rows.stream(PAGE))
      yield columns.map((column) => row[column.name] as string | null);
  }
}

async function write(file: string, text: AsyncGenerator<string, Counts>): Promise<Counts> {
  let counts: Counts = {};
  const source = Readable.from(
    (async function* () {
      counts = yield* text;
    })(),
  );
  if (file === STDOUT) {
    await pipeline(source, createGzip(), process.stdout);
    return counts;
  }
  const unfinished = `${file}.${process.pid}.unfinished`;
  try {
    await pipeline(
      source,
      createGzip(),
      createWriteStream(unfinished, { mode: 0o600, flags: "wx", flush: true }),
    );
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  // Sync the folder too, so that the name is as durable as the content.
  const folder = await open(dirname(file), "r");
  await folder.sync().finally(() => folder.close());
  return counts;
}
