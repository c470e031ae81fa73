import { counted } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Documents } from "../documents";
import type { Keyring } from "../secrets";
import type { AuditEventRow, Database } from "../storage";
import { compareContents } from "./contents";
import { openDigests } from "./digests";
import { Faults } from "./faults";
import { type Anchor, headText } from "./head";
import { GENESIS, hashOf } from "./rows";
import { LaneOrder, verifyInbox } from "./verifyInbox";

const PAGE = 1000;

/** A noted place in the log, and where the note comes from. */
export interface Noted extends Anchor {
  readonly source: string;
}

export interface Verified {
  readonly rows: number;
  /** Number of rows in the inbox, which have no place in the log yet. */
  readonly waiting: number;
  /** The head of the log. Note it elsewhere, to prove later that the log up to here is unchanged. */
  readonly head: Anchor;
  /** Events up to this row may have been pruned; 0 if none were. */
  readonly prunedThrough: number;
  /** The faults, each with its place; empty if the log is whole. */
  readonly faults: readonly string[];
}

/**
 * Reads and recomputes the whole audit log: every row must follow the one before, and the head must carry a
 * signature that needs the master key. Goes on with what waits in the inbox. Then compares objects and events
 * with their audit rows.
 *
 * @param snapshot of the database, so that everything is from one moment; servers may go on meanwhile
 */
export async function verifyAudit(
  snapshot: Kysely<Database>,
  { keyring, documents }: { keyring: Keyring; documents: Documents },
  noted: readonly Noted[],
): Promise<Verified> {
  const faults = new Faults();
  const lanes = new LaneOrder();
  const { rows, head } = await verifyChain(snapshot, keyring, noted, lanes, faults);
  const inbox = await verifyInbox(snapshot, keyring, lanes, faults);
  const digests = await openDigests(snapshot, keyring);
  const known = { documents, digests, inbox: inbox.latest };
  const prunedThrough = await compareContents(snapshot, known, faults);
  return { rows, waiting: inbox.rows, head, prunedThrough, faults: faults.all };
}

async function verifyChain(
  db: Kysely<Database>,
  keyring: Keyring,
  noted: readonly Noted[],
  lanes: LaneOrder,
  faults: Faults,
): Promise<Pick<Verified, "rows" | "head">> {
  const head = await db.selectFrom("audit_head").selectAll().executeTakeFirstOrThrow();
  const { count } = await db
    .selectFrom("audit_event")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (Number(count) !== head.sequence)
    faults.add(`the log holds ${counted(Number(count), "row")}, but ${head.sequence} were written`);
  if (
    !(await keyring.opening(db, () =>
      keyring.isSigned(head.key_id, headText(head.sequence, head.hash), head.mac),
    ))
  ) {
    faults.add(
      `the end of the log (row ${head.sequence}) was not written by a server that has the master key`,
    );
  }
  const notedAt = new Map<number, Noted[]>();
  for (const one of noted) notedAt.set(one.sequence, [...(notedAt.get(one.sequence) ?? []), one]);
  let last: Anchor = { sequence: 0, hash: GENESIS };
  let rows = 0;
  for (;;) {
    const page = await db
      .selectFrom("audit_event")
      .selectAll()
      .where("sequence", ">", last.sequence)
      .where("sequence", "<=", head.sequence)
      .orderBy("sequence")
      .limit(PAGE)
      .execute();
    for (const row of page) {
      for (const fault of faultsOf(row, last, notedAt.get(row.sequence) ?? [])) faults.add(fault);
      const fault = row.lane !== null && lanes.faultOf(row.lane, `row ${row.sequence}`);
      if (fault) faults.add(fault);
      last = { sequence: row.sequence, hash: row.hash };
      rows++;
    }
    if (page.length < PAGE) break;
  }
  if (last.sequence !== head.sequence || last.hash !== head.hash) {
    faults.add(
      `the log ends with row ${last.sequence}, but it was written up to row ${head.sequence}: its end was cut off or changed`,
    );
  }
  for (const { sequence, source } of noted) {
    if (sequence > last.sequence)
      faults.add(
        `the noted row ${sequence} is no longer there: the log was cut off or put back (noted in ${source})`,
      );
  }
  return { rows, head: { sequence: head.sequence, hash: head.hash } };
}

function* faultsOf(row: AuditEventRow, before: Anchor, noted: readonly Noted[]): Generator<string> {
  const { sequence, hash } = row;
  if (sequence !== before.sequence + 1) yield `rows ${before.sequence + 1} to ${sequence - 1} are missing`;
  else if (row.previous_hash !== before.hash)
    yield `row ${sequence} does not follow row ${before.sequence}: one of them was changed, or their order`;
  if (hashOf(row) !== hash) yield `row ${sequence} was changed`;
  for (const { source, ...anchor } of noted) {
    if (anchor.hash !== hash) yield `row ${sequence} is not the one that was noted (in ${source})`;
  }
}
