import type { Keyring } from "../sealing/keyring";
import type { AuditEventRow } from "../storage/schema";
import type { Store } from "../storage/store";
import { GENESIS, hashOf } from "./auditRow";
import { headText } from "./journal";

const PAGE = 1000;

/** A point of the audit log that somebody noted: `<sequence>:<hash>`. */
export interface Anchor {
  readonly sequence: number;
  readonly hash: string;
}

export interface Verified {
  readonly rows: number;
  /** The end of the log, to be noted elsewhere: it shows later whether the log up to here is still the same. */
  readonly head: Anchor;
  /** What is wrong, each with its place; empty when the log is whole. */
  readonly faults: readonly string[];
}

// A log that was cut in the middle has a fault in every row after; a few say enough.
const FAULTS_SHOWN = 10;

/**
 * Reads the whole audit log and recomputes it: every row follows the one before, and its end carries a code that only
 * holders of the master key can make. Serving may go on meanwhile.
 */
export async function verifyAudit({ reader }: Store, keyring: Keyring, anchor?: Anchor): Promise<Verified> {
  const head = await reader.selectFrom("audit_head").selectAll().executeTakeFirstOrThrow();
  const faults: string[] = [];
  if (!keyring.isSigned(head.key_id, headText(head.sequence, head.hash), head.mac)) {
    faults.push(`the end of the log (row ${head.sequence}) was not written by a server that has the master key`);
  }
  let last = { sequence: 0, hash: GENESIS };
  let rows = 0;
  for (;;) {
    const page = await reader
      .selectFrom("audit_event")
      .selectAll()
      .where("sequence", ">", last.sequence)
      .where("sequence", "<=", head.sequence)
      .orderBy("sequence")
      .limit(PAGE)
      .execute();
    for (const row of page) {
      if (faults.length < FAULTS_SHOWN) faults.push(...faultsOf(row, last, anchor));
      last = { sequence: row.sequence, hash: row.hash };
      rows++;
    }
    if (page.length < PAGE) break;
  }
  if (last.sequence !== head.sequence || last.hash !== head.hash) {
    faults.push(`the log ends with row ${last.sequence}, but it was written up to row ${head.sequence}: its end was cut off or changed`);
  }
  if (anchor && anchor.sequence > last.sequence)
    faults.push(`the noted row ${anchor.sequence} is no longer there: the log was cut off or put back`);
  return { rows, head: { sequence: head.sequence, hash: head.hash }, faults: faults.slice(0, FAULTS_SHOWN) };
}

function* faultsOf(row: AuditEventRow, before: Anchor, anchor: Anchor | undefined): Generator<string> {
  const { sequence, hash } = row;
  if (sequence !== before.sequence + 1) yield `rows ${before.sequence + 1} to ${sequence - 1} are missing`;
  else if (row.previous_hash !== before.hash)
    yield `row ${sequence} does not follow row ${before.sequence}: one of them was changed, or their order`;
  if (hashOf(row) !== hash) yield `row ${sequence} was changed`;
  if (anchor?.sequence === sequence && anchor.hash !== hash) yield `row ${sequence} is not the one that was noted`;
}
