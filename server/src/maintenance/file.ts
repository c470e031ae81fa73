import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { createGunzip } from "node:zlib";
import { codeOf, messageOf } from "@tunnelplane/sdk/contract";
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
  /** The head of the audit log; absent before the first start. */
  readonly audit_head?: Anchor;
}

/** A line after the header: a table, or one of its rows. */
export type Entry = { readonly table: string; readonly columns: readonly string[] } | readonly Value[];

/** Number of rows by table. */
export type Counts = Record<string, number>;

interface Trailer {
  readonly rows: Counts;
  /** Of every byte before the trailer, uncompressed. */
  readonly sha256: string;
}

// Large enough to compress and write many rows at once.
const CHUNK = 64 * 1024;

/** The uncompressed text of a backup: lines of JSON. The last one proves that the others are complete. */
export async function* encode(
  header: Omit<Header, "format" | "version">,
  entries: AsyncIterable<Entry>,
): AsyncGenerator<string, Counts> {
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

/** Reads the header of a backup; refuses other files. */
export async function readHeader(file: string): Promise<Header> {
  for await (const line of linesOf(file)) {
    const header = parse<Partial<Record<keyof Header, unknown>>>(file, line);
    if (header.format !== FORMAT) break;
    // The version fixes the other fields of a header.
    if (header.version === VERSION) return header as unknown as Header;
    throw new Error(
      `${file} is a backup in format ${header.version}; this version reads format ${VERSION}. Use a newer tunnelplane`,
    );
  }
  throw notBackup(file);
}

/**
 * Reads the lines after the header and returns the number of rows. Throws if the file is incomplete or was
 * altered, possibly only after the last entry: a caller that acts on entries must be able to undo it.
 */
export async function* decode(file: string): AsyncGenerator<Entry, Counts> {
  const hash = createHash("sha256");
  const count = new Counter();
  let number = 0;
  let last = "";
  for await (const line of linesOf(file)) {
    // Only a next line shows that this one is not the trailer.
    if (number > 0) hash.update(`${last}\n`);
    if (number > 1) yield count.add(parseEntry(file, last));
    last = line;
    number += 1;
  }
  const { rows, sha256 } = parse<Partial<Trailer>>(file, last);
  if (sha256 !== hash.digest("hex") || JSON.stringify(rows) !== JSON.stringify(count.rows))
    throw damaged(file);
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

/** The lines of a compressed file. node:readline would also split at some characters within texts. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const compressed = createReadStream(file);
  const text = createGunzip().setEncoding("utf8");
  compressed.on("error", (error) => text.destroy(error)).pipe(text);
  let rest = "";
  try {
    for await (const chunk of text) {
      const lines = chunk.split("\n");
      lines[0] = rest + lines[0];
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    if (messageOf(error) === "incorrect header check") throw notBackup(file);
    throw codeOf(error)?.startsWith("Z_") ? damaged(file) : error;
  } finally {
    compressed.destroy();
  }
  if (rest !== "") throw damaged(file);
}

function parse<T>(file: string, line: string): T {
  try {
    return JSON.parse(line);
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
  new Error(
    `${file} is damaged: it is not complete, or was altered since it was made. Nothing was restored; take another copy`,
  );
