import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import { sql } from "kysely";
import { fitting, type LogPageRequest, nameField, namesOf, type Page } from "../documents";
import type { AuditEventRow, Store } from "../storage";
import { queryError, type ReadLarge, yieldToEventLoop } from "../util";
import { type AuditFilter, endOf, isFiltering, matching, principalNames, principalsOf } from "./auditFilter";
import { headOf } from "./head";
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
  /** Default: all rows. */
  readonly filter?: AuditFilter;
  /** Whether rows have the name of who made the change. Default: they do not. */
  readonly isNamed?: boolean;
  readonly readLarge: ReadLarge;
}

/** A page of the audit log, newest first. */
export async function auditPage(
  { reader }: Store,
  { before, project, ids, names, filter = {}, isNamed = false, readLarge, ...size }: AuditPageRequest,
): Promise<Page> {
  const until = before === undefined ? undefined : numberIn(before, ids);
  const wanted = { project, until, most: size.limit + 1, filter, isAccount: ids === undefined };
  const { found, left } = await newestIn(reader, wanted);
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
  const principals = isNamed
    ? await principalNames(reader, [...new Set(rows.map((row) => row.principal_id))])
    : undefined;
  const last = rows.at(-1);
  const next = shown.length < found.length ? last?.sequence : left;
  return {
    documents: rows.map((row) => print(row, { objects, principals, ids, names })),
    nextBefore: next === undefined ? null : idOf(next, ids),
  };
}

interface Wanted {
  readonly project: string | undefined;
  /** Only rows before this one. */
  readonly until: number | undefined;
  readonly most: number;
  readonly filter: AuditFilter;
  /** Whether the caller may know how many rows others have. */
  readonly isAccount: boolean;
}

interface Found {
  /** The numbers of the newest rows, and how large these are, without their large column. */
  readonly found: readonly { sequence: number; bytes: number }[];
  /** Where the search stopped: rows before this one were not looked at. Absent after the last one. */
  readonly left?: number;
}

/** Rows that are looked at in one go, where no index leads to those that are wanted. */
const WINDOW = 5000;
/** How many of these one page looks at; 100,000 rows. */
const MAX_WINDOWS = 20;

async function newestIn(reader: Store["reader"], wanted: Wanted): Promise<Found> {
  const { project, until, most, filter, isAccount } = wanted;
  const isDefault = project === DEFAULT_PROJECT.id;
  const rows = rowsOf(reader, project);
  const newest = rows
    .select(({ fn, lit, eb }) => [
      "sequence",
      eb(fn<number>("octet_length", ["changed"]), "+", lit(BESIDES)).as("bytes"),
    ])
    .orderBy("sequence", "desc");
  if (!isDefault && !isFiltering(filter)) {
    const query = until === undefined ? newest : newest.where("sequence", "<", until);
    return { found: await query.limit(most).execute() };
  }
  // A search that stops after so many rows of all projects would tell how many others have.
  const isBounded = isFiltering(filter) && (isAccount || !isDefault);
  const found: { sequence: number; bytes: number }[] = [];
  const principals = await principalsOf(reader, filter);
  let end = await endOf(reader, filter, until ?? Number((await headOf(reader))?.sequence ?? 0) + 1, WINDOW);
  for (let windows = 0; end > 1; windows++) {
    if (isBounded && windows === MAX_WINDOWS) return { found, left: end };
    const begin = isDefault || project === undefined ? end - WINDOW : await beginOf(rows, end);
    const within = matching(newest, filter, principals)
      .where("sequence", "<", end)
      .where("sequence", ">=", begin);
    const next = await within.limit(most - found.length).execute();
    found.push(...next);
    if (found.length >= most) break;
    if (next.length === 0 && filter.from !== undefined) {
      // Clocks differ and go back, so one older row does not end the search, but so many do.
      const { latest } = await rows
        .select(({ fn }) => fn.max("created_at").as("latest"))
        .where("sequence", "<", end)
        .where("sequence", ">=", begin)
        .executeTakeFirstOrThrow();
      if (latest !== null && latest < filter.from) break;
    }
    end = begin;
    await yieldToEventLoop();
  }
  return { found };
}

function rowsOf(reader: Store["reader"], project: string | undefined) {
  const query = reader.selectFrom("audit_event");
  if (project === undefined) return query;
  const ofProject = query.where("project_id", "=", project);
  // The literal lets databases use the index of rows that are not in `default`.
  return project === DEFAULT_PROJECT.id
    ? ofProject
    : ofProject.where("project_id", "<>", sql.lit(DEFAULT_PROJECT.id));
}

/** The first of the rows of a project that make up a window. */
async function beginOf(rows: ReturnType<typeof rowsOf>, end: number): Promise<number> {
  const first = await rows
    .select("sequence")
    .where("sequence", "<", end)
    .orderBy("sequence", "desc")
    .offset(WINDOW - 1)
    .limit(1)
    .executeTakeFirst();
  return Number(first?.sequence ?? 0);
}

const NO_CHAIN = { lane: null, previous_hash: null, hash: null };

/** The names of what rows hold the ids of. */
interface Naming extends Pick<AuditPageRequest, "ids" | "names"> {
  readonly objects: ReadonlyMap<string, string>;
  readonly principals: ReadonlyMap<string, string> | undefined;
}

function print(
  { sequence, changed, project_id: project, ...row }: AuditEventRow,
  { objects, principals, ids, names }: Naming,
): string {
  return JSON.stringify({
    id: idOf(sequence, ids),
    ...row,
    ...nameField(objects.get(row.object_id ?? "")),
    ...(principals?.has(row.principal_id) && { principal_name: principals.get(row.principal_id) }),
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
