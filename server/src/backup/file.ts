import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import type { Anchor } from "../journal";
import type { Value } from "./tables";

const FORMAT = "tunnelplane backup";
const VERSION = 1;

/** The first line of a backup. */
export interface Header {
  readonly format: typeof FORMAT;
  readonly version: typeof VERSION;
  /** The version of tunnelplane that made it. */
  readonly server: string;
  /** The last migration of the database. */
  readonly schema: string;
  readonly created_at: string;
  /** The end of the audit log; absent in backups of older versions, and where nothing was begun yet. */
  readonly audit_head?: Anchor;
}

/** What follows the header, in lines of its own: each table, then its rows. */
export type Entry = { readonly table: string; readonly columns: readonly string[] } | readonly Value[];

/** How many rows each table has. */
export type Counts = Record<string, number>;

interface Trailer {
  readonly rows: Counts;
  /** Of every byte before the trailer, uncompressed. */
  readonly sha256: string;
}

// Enough that compressing and writing do not go row by row.
const CHUNK = 64 * 1024;

/** A backup's text, before it is compressed: lines of JSON, the last of which tells whether the others are complete. */
export async function* encode(header: Omit<Header, "format" | "version">, entries: AsyncIterable<Entry>): AsyncGenerator<string, Counts> {
  const hash = createHash("sha256");
  const count = new Counter();
  let chunk = `${JSON.stringify({ format: FORMAT, version: VERSION, ...header } satisfies Header)}\n`;
  for await (const entry of entries) {
    chunk += `${JSON.stringify(count.add(entry))}\n`;
    if (chunk.length < CHUNK) continue;
    hash.update(chunk);
    yield chunk;
    chunk = "";
  }
  const trailer: Trailer = { rows: count.rows, sha256: hash.update(chunk).digest("hex") };
  yield `${chunk}${JSON.stringify(trailer)}\n`;
  return count.rows;
}

/** The header of a backup. Refuses what is no backup. */
export async function readHeader(file: string): Promise<Header> {
  for await (const line of linesOf(file)) {
    const header = parse<Partial<Record<keyof Header, unknown>>>(file, line);
    if (header.format !== FORMAT) break;
    if (header.version === VERSION) return header as unknown as Header;
    throw new Error(`${file} is a backup in format ${header.version}; this version reads format ${VERSION}. Use a newer tunnelplane`);
  }
  throw notBackup(file);
}

/**
 * Reads what follows the header, and returns how many rows there were. Throws where the file is not complete or was altered,
 * at the latest after the last entry: whoever acts on entries before that must be able to undo it.
 */
export async function* decode(file: string): AsyncGenerator<Entry, Counts> {
  const hash = createHash("sha256");
  const count = new Counter();
  let number = 0;
  let last = "";
  for await (const line of linesOf(file)) {
    // Only the next line tells that this one is not the trailer.
    if (number > 0) hash.update(`${last}\n`);
    if (number > 1) yield count.add(parseEntry(file, last));
    last = line;
    number += 1;
  }
  const { rows, sha256 } = parse<Partial<Trailer>>(file, last);
  if (sha256 !== hash.digest("hex") || JSON.stringify(rows) !== JSON.stringify(count.rows)) throw damaged(file);
  return count.rows;
}

class Counter {
  readonly rows: Counts = {};
  #table = "";

  add<T extends Entry>(entry: T): T {
    if ("table" in entry) {
      this.#table = entry.table;
      this.rows[entry.table] = 0;
    } else {
      this.rows[this.#table] = (this.rows[this.#table] ?? 0) + 1;
    }
    return entry;
  }
}

/** The lines of a compressed file. Not node:readline's: to that, some characters within texts end lines as well. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const compressed = createReadStream(file);
  const text = createGunzip().setEncoding("utf8");
  compressed.on("error", (error) => text.destroy(error)).pipe(text);
  let rest = "";
  try {
    for await (const chunk of text as AsyncIterable<string>) {
      const lines = chunk.split("\n");
      lines[0] = rest + lines[0];
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (message === "incorrect header check") throw notBackup(file);
    throw code?.startsWith("Z_") ? damaged(file) : error;
  } finally {
    compressed.destroy();
  }
  if (rest !== "") throw damaged(file);
}

function parse<T>(file: string, line: string): T {
  try {
    return JSON.parse(line) as T;
  } catch {
    throw damaged(file);
  }
}

function parseEntry(file: string, line: string): Entry {
  const entry = parse<Entry | undefined>(file, line);
  if (Array.isArray(entry) || (typeof entry === "object" && entry !== null && "table" in entry)) return entry;
  throw damaged(file);
}

const notBackup = (file: string): Error => new Error(`${file} is not a backup of tunnelplane`);

const damaged = (file: string): Error =>
  new Error(`${file} is damaged: it is not complete, or was altered since it was made. Nothing was restored; take another copy`);
