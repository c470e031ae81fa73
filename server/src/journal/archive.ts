import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Kysely } from "kysely";
import type { AuditEventRow, Database } from "../storage";
import type { Faults } from "./faults";
import type { Anchor } from "./head";
import { GENESIS } from "./rows";

/** The action of the row that names the last one that was moved into a file. */
export const ARCHIVED = "audit_log_archived";

const FORMAT = "tunnelplane-audit-archive";
/** The first line of an archive. */
export interface ArchiveHeader {
  readonly format: typeof FORMAT;
  readonly version: 1;
  readonly first: number;
  readonly last: number;
  /** Of the last row. */
  readonly hash: string;
}

export const archiveHeader = (first: number, last: Anchor): ArchiveHeader => ({
  ...{ format: FORMAT, version: 1, first },
  ...{ last: last.sequence, hash: last.hash },
});

/** The last row that is in a file and no longer in the database. */
export async function archivedThrough(db: Kysely<Database>): Promise<Anchor> {
  const row = await db
    .selectFrom("audit_event")
    .select("changed")
    .where("action", "=", ARCHIVED)
    .orderBy("sequence", "desc")
    .limit(1)
    .executeTakeFirst();
  const [, sequence = "0", hash = GENESIS] = /^\["(\d+):([0-9a-f]{64})"\]$/.exec(row?.changed ?? "") ?? [];
  return { sequence: Number(sequence), hash };
}

/** What archived rows say of objects that no later row is about, and of events. */
export interface Archived {
  readonly latest: Map<string, Pick<AuditEventRow, "sequence" | "action" | "object_digest">>;
  readonly events: Map<number, Pick<AuditEventRow, "event_id" | "event_digest">>;
}

interface Reading {
  /** Where the files have to end. */
  readonly through: Anchor;
  /** Events up to this row may have been pruned. */
  readonly prunedThrough: number;
  readonly faults: Faults;
  /** Compares each row with the one before. */
  readonly check: (row: AuditEventRow, before: Anchor) => void;
}

/** Reads the files of archived rows, in the order of their rows, whatever the order of the files. */
export async function readArchives(
  files: readonly string[],
  { through, prunedThrough, faults, check }: Reading,
): Promise<Archived> {
  const archived: Archived = { latest: new Map(), events: new Map() };
  const all = await Promise.all(files.map(async (file) => ({ file, header: await headerOf(file) })));
  all.sort((a, b) => a.header.first - b.header.first);
  let last: Anchor = { sequence: 0, hash: GENESIS };
  for (const { file } of all)
    for await (const row of rowsIn(file)) {
      check(row, last);
      last = { sequence: row.sequence, hash: row.hash };
      if (row.event_id === null) continue;
      if (row.sequence > prunedThrough) archived.events.set(row.sequence, row);
      if (row.object_id === null) continue;
      if (row.action.endsWith("_deleted")) archived.latest.delete(row.object_id);
      else archived.latest.set(row.object_id, row);
    }
  if (last.sequence !== through.sequence || last.hash !== through.hash)
    faults.add(
      `the files end with row ${last.sequence}, but the database goes on after row ${through.sequence}: a file is missing, or is not of this log`,
    );
  return archived;
}

async function headerOf(file: string): Promise<ArchiveHeader> {
  for await (const line of linesIn(file)) {
    const header = parsed(line) as Partial<ArchiveHeader> | undefined;
    if (header?.format === FORMAT && Number.isSafeInteger(header.first)) return header as ArchiveHeader;
    break;
  }
  throw new Error(`${file} is not an archive of an audit log: name what "audit archive --out" wrote`);
}

async function* rowsIn(file: string): AsyncGenerator<AuditEventRow> {
  let number = 0;
  for await (const line of linesIn(file)) {
    if (number++ === 0) continue;
    const row = parsed(line);
    if (row === undefined) throw new Error(`${file} is damaged: line ${number} cannot be read`);
    yield row as AuditEventRow;
  }
}

const linesIn = (file: string) =>
  createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });

function parsed(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
