import { counted } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Documents } from "../documents";
import type { Keyring } from "../secrets";
import type { AuditEventRow, Database } from "../storage";
import { archivedThrough, readArchives } from "./archive";
import { compareContents, prunedThroughOf } from "./contents";
import { openDigests } from "./digests";
import { Faults } from "./faults";
import { type Anchor, headText } from "./head";
import { hashOf } from "./rows";
import { LaneOrder, verifyInbox } from "./verifyInbox";

const PAGE = 1000;

/** A noted position in the log, and where the note comes from. */
export interface Noted extends Anchor {
  readonly source: string;
}

export interface Verified {
  readonly rows: number;
  /** Number of rows in the inbox, which have no position in the log yet. */
  readonly waiting: number;
  /** The head of the log. Note it elsewhere, to prove later that the log up to here is unchanged. */
  readonly head: Anchor;
  /** Events up to this row may have been pruned; 0 if none were. */
  readonly prunedThrough: number;
  /** Rows up to this one are in archives; 0 if none are. */
  readonly archivedThrough: number;
  /** Objects and events that only archived rows are about, where no archives were given. */
  readonly uncompared: number;
  /** Noted rows that are in archives, where none were given. */
  readonly unproved: readonly Noted[];
  /** The faults, each with where it is; empty if the log is whole. */
  readonly faults: readonly string[];
}

/**
 * Reads and recomputes the whole audit log: every row must follow the one before, and the head must carry a
 * signature that needs the master key. Goes on with what waits in the inbox. Then compares objects and events
 * with their audit rows.
 *
 * @param snapshot of the database, so that everything is from one moment; servers may go on meanwhile
 * @param files archives of its first rows. Without them, the log is verified from where they end
 */
export async function verifyAudit(
  snapshot: Kysely<Database>,
  { keyring, documents }: { keyring: Keyring; documents: Documents },
  noted: readonly Noted[],
  files: readonly string[] = [],
): Promise<Verified> {
  const faults = new Faults();
  const through = await archivedThrough(snapshot);
  const hasFiles = files.length > 0;
  const lanes = new LaneOrder(through.sequence > 0 && !hasFiles);
  const notedAt = new Map<number, Noted[]>();
  for (const one of noted) notedAt.set(one.sequence, [...(notedAt.get(one.sequence) ?? []), one]);
  const check = (row: AuditEventRow, before: Anchor) => {
    for (const fault of faultsOfRow(row, before, notedAt.get(row.sequence) ?? [])) faults.add(fault);
    const fault = row.lane !== null && lanes.faultOf(row.lane, `row ${row.sequence}`);
    if (fault) faults.add(fault);
  };
  const prunedThrough = await prunedThroughOf(snapshot);
  const archived = hasFiles
    ? await readArchives(files, { through, prunedThrough, faults, check })
    : undefined;
  const { rows, head } = await verifyChain(snapshot, keyring, { through, noted, check, faults });
  const inbox = await verifyInbox(snapshot, keyring, lanes, faults);
  const digests = await openDigests(snapshot, keyring);
  const known = {
    documents,
    digests,
    inbox: inbox.latest,
    through: through.sequence,
    archived,
    prunedThrough,
  };
  const uncompared = await compareContents(snapshot, known, faults);
  return {
    ...{ rows, waiting: inbox.rows, head, prunedThrough, uncompared },
    archivedThrough: through.sequence,
    unproved: hasFiles ? [] : noted.filter(({ sequence }) => sequence < through.sequence),
    faults: faults.all,
  };
}

interface Chained {
  /** After which row the log in the database begins. */
  readonly through: Anchor;
  readonly noted: readonly Noted[];
  readonly check: (row: AuditEventRow, before: Anchor) => void;
  readonly faults: Faults;
}

async function verifyChain(
  db: Kysely<Database>,
  keyring: Keyring,
  { through, noted, check, faults }: Chained,
): Promise<Pick<Verified, "rows" | "head">> {
  const head = await db.selectFrom("audit_head").selectAll().executeTakeFirstOrThrow();
  const { count } = await db
    .selectFrom("audit_event")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  const expected = head.sequence - through.sequence;
  if (Number(count) !== expected)
    faults.add(
      `the log holds ${counted(Number(count), "row")}, but ${expected} were written${through.sequence > 0 ? " after those in archives" : ""}`,
    );
  if (
    !(await keyring.opening(db, () =>
      keyring.isSigned(head.key_id, headText(head.sequence, head.hash), head.mac),
    ))
  ) {
    faults.add(
      `the end of the log (row ${head.sequence}) was not written by a server that has the master key`,
    );
  }
  let last = through;
  let rows = 0;
  for await (const row of auditRows(db, through.sequence, head.sequence)) {
    check(row, last);
    last = { sequence: row.sequence, hash: row.hash };
    rows++;
  }
  if (last.sequence !== head.sequence || last.hash !== head.hash) {
    faults.add(
      `the log ends with row ${last.sequence}, but it was written up to row ${head.sequence}: its end was cut off or changed`,
    );
  }
  for (const { sequence, hash, source } of noted) {
    if (sequence === through.sequence && hash !== through.hash)
      faults.add(`row ${sequence} is not the one that was noted (in ${source})`);
    if (sequence > last.sequence)
      faults.add(
        `the noted row ${sequence} is no longer there: the log was cut off or put back (noted in ${source})`,
      );
  }
  return { rows, head: { sequence: head.sequence, hash: head.hash } };
}

/** The rows of the audit log after one, up to another, in order. */
export async function* auditRows(
  db: Kysely<Database>,
  after: number,
  until: number,
): AsyncGenerator<AuditEventRow> {
  for (let last = after; ; ) {
    const page = await db
      .selectFrom("audit_event")
      .selectAll()
      .where("sequence", ">", last)
      .where("sequence", "<=", until)
      .orderBy("sequence")
      .limit(PAGE)
      .execute();
    for (const row of page) yield row;
    if (page.length < PAGE) return;
    last = page.at(-1)?.sequence ?? until;
  }
}

/** What is wrong with a row that should follow another. */
export function* faultsOfRow(row: AuditEventRow, before: Anchor, noted: readonly Noted[]): Generator<string> {
  const { sequence, hash } = row;
  if (sequence !== before.sequence + 1) yield `rows ${before.sequence + 1} to ${sequence - 1} are missing`;
  else if (row.previous_hash !== before.hash)
    yield `row ${sequence} does not follow row ${before.sequence}: one of them was changed, or their order`;
  if (hashOf(row) !== hash) yield `row ${sequence} was changed`;
  for (const { source, ...anchor } of noted) {
    if (anchor.hash !== hash) yield `row ${sequence} is not the one that was noted (in ${source})`;
  }
}
