import type { Page } from "../documents";
import type { AuditEventRow, Store } from "../storage";
import { queryError, readLarge } from "../util";
import { countOf, type LogPageRequest } from "./read";
import type { RowIds } from "./rowIds";

/** Upper limit for an audit row without its list of changed paths, in bytes. */
const BESIDES = 1024;

interface AuditPageRequest extends LogPageRequest {
  /** The id of the project that rows are about; undefined for all rows. */
  readonly project: string | undefined;
  /**
   * For callers who are not to know what else the log holds: the ids that they see. They see no chain either,
   * which says where rows of others are.
   */
  readonly ids: RowIds | undefined;
  /** The names of projects, by id. */
  readonly names: ReadonlyMap<string, string>;
}

/** A page of the audit log, newest first. */
export async function auditPage(
  { reader }: Store,
  { before, project, ids, names, ...size }: AuditPageRequest,
): Promise<Page> {
  let query = reader.selectFrom("audit_event");
  if (project !== undefined) query = query.where("project_id", "=", project);
  if (before !== undefined) query = query.where("sequence", "<", numberIn(before, ids));
  const count = await countOf(
    query.select(({ fn, lit, eb }) => [
      "sequence",
      eb(fn<number>("octet_length", ["changed"]), "+", lit(BESIDES)).as("bytes"),
    ]),
    size,
    "desc",
  );
  query = query.where("sequence", "<=", count.first);
  const rows = await readLarge(() =>
    query.selectAll().orderBy("sequence", "desc").limit(count.shown).execute(),
  );
  const last = rows.at(-1);
  return {
    documents: rows.map((row) => print(row, ids, names)),
    nextBefore: !count.isLast && last ? idOf(last.sequence, ids) : null,
  };
}

const NO_CHAIN = { lane: null, previous_hash: null, hash: null };

function print(
  { sequence, changed, project_id: project, ...row }: AuditEventRow,
  ids: RowIds | undefined,
  names: ReadonlyMap<string, string>,
): string {
  return JSON.stringify({
    id: idOf(sequence, ids),
    ...row,
    ...(ids && NO_CHAIN),
    project: project === null ? null : (names.get(project) ?? project),
    changed: JSON.parse(changed),
  });
}

const idOf = (sequence: number, ids: RowIds | undefined): string => `au_${ids ? ids.of(sequence) : sequence}`;

function numberIn(id: string, ids: RowIds | undefined): number {
  const text = id.replace(/^au_/, "");
  const number = ids ? ids.numberIn(text) : /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (number !== undefined) return number;
  throw queryError("before_id", 'before_id must be the id of an audit event, for example "au_17"');
}
