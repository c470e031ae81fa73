import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import { sql } from "kysely";
import { fitting, nameField, namesOf, type Page } from "../documents";
import type { AuditEventRow, Store } from "../storage";
import { queryError, readLarge, takeTurn } from "../util";
import { headOf } from "./head";
import type { LogPageRequest } from "./read";
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
  const until = before === undefined ? undefined : numberIn(before, ids);
  const found = await newestIn(reader, { project, until, most: size.limit + 1 });
  const shown = found.slice(
    0,
    fitting(
      found.map(({ bytes }) => Number(bytes)),
      size,
    ),
  );
  const sequences = shown.map(({ sequence }) => sequence);
  const rows = await readLarge(() =>
    reader
      .selectFrom("audit_event")
      .selectAll()
      .where("sequence", "in", sequences.length > 0 ? sequences : [0])
      .orderBy("sequence", "desc")
      .execute(),
  );
  const objects = await namesOf(
    reader,
    rows.flatMap(({ object_id }) => object_id ?? []),
  );
  const last = rows.at(-1);
  return {
    documents: rows.map((row) => print(row, objects.get(row.object_id ?? ""), { ids, names })),
    nextBefore: shown.length < found.length && last ? idOf(last.sequence, ids) : null,
  };
}

interface Wanted {
  readonly project: string | undefined;
  /** Only rows before this one. */
  readonly until: number | undefined;
  readonly most: number;
}

/** Rows that are looked at in one go, where no index leads to those of a project. */
const WINDOW = 5000;

/** The numbers of the newest rows, and how large these are, without their large column. */
async function newestIn(
  reader: Store["reader"],
  { project, until, most }: Wanted,
): Promise<{ sequence: number; bytes: number }[]> {
  let query = reader
    .selectFrom("audit_event")
    .select(({ fn, lit, eb }) => [
      "sequence",
      eb(fn<number>("octet_length", ["changed"]), "+", lit(BESIDES)).as("bytes"),
    ])
    .orderBy("sequence", "desc");
  const isDefault = project === DEFAULT_PROJECT.id;
  if (project !== undefined) query = query.where("project_id", "=", project);
  // The literal lets databases use the index of rows that are not in `default`.
  if (project !== undefined && !isDefault)
    query = query.where("project_id", "<>", sql.lit(DEFAULT_PROJECT.id));
  if (!isDefault) {
    if (until !== undefined) query = query.where("sequence", "<", until);
    return query.limit(most).execute();
  }
  const found: { sequence: number; bytes: number }[] = [];
  for (let end = until ?? Number((await headOf(reader))?.sequence ?? 0) + 1; end > 1; end -= WINDOW) {
    const window = query.where("sequence", "<", end).where("sequence", ">=", end - WINDOW);
    found.push(...(await window.limit(most - found.length).execute()));
    if (found.length >= most) break;
    await takeTurn();
  }
  return found;
}

const NO_CHAIN = { lane: null, previous_hash: null, hash: null };

function print(
  { sequence, changed, project_id: project, ...row }: AuditEventRow,
  objectName: string | undefined,
  { ids, names }: Pick<AuditPageRequest, "ids" | "names">,
): string {
  return JSON.stringify({
    id: idOf(sequence, ids),
    ...row,
    ...nameField(objectName),
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
