import type { SelectQueryBuilder } from "kysely";
import { type Answer, fitting, type Page, type PageSize } from "../documents";
import type { Database, Store } from "../storage";
import { queryError, RequestError, readLarge } from "../util";

/** The setting that holds the highest sequence of an event that was removed. */
export const PRUNED_THROUGH = "events_pruned_through";

interface PageRequest extends PageSize {
  /** Only older rows. */
  readonly before?: string;
}

interface EventFilter {
  readonly type?: string;
  readonly objectId?: string;
}

/** A page of events, newest first. */
export async function eventPage(
  { reader }: Store,
  filter: EventFilter,
  { before, ...size }: PageRequest,
): Promise<Page> {
  let query = eventsLike(reader, filter);
  if (before !== undefined)
    query = query.where(
      "sequence",
      "<",
      reader.selectFrom("event").select("sequence").where("id", "=", before),
    );
  const sizes = query.select((of) => ["sequence", of.fn<number>("octet_length", ["payload"]).as("bytes")]);
  const count = await countOf(sizes, size, "desc");
  query = query.where("sequence", "<=", count.first);
  const rows = await query.select(["id", "payload"]).orderBy("sequence", "desc").limit(count.shown).execute();
  return {
    documents: rows.map(({ payload }) => payload),
    nextBefore: count.isLast ? null : (rows.at(-1)?.id ?? null),
  };
}

/** A page of events after a sequence, oldest first, each with its own sequence. */
export async function eventsAfter(
  { reader }: Store,
  filter: EventFilter,
  { after, ...size }: PageSize & { after: number },
): Promise<Page> {
  const query = eventsLike(reader, filter).where("sequence", ">", after);
  const sizes = query.select((of) => ["sequence", of.fn<number>("octet_length", ["payload"]).as("bytes")]);
  const count = await countOf(sizes, size, "asc");
  const rows = await query
    .select(["id", "sequence", "payload"])
    .orderBy("sequence")
    .limit(count.shown)
    .execute();
  return {
    documents: rows.map(({ sequence, payload }) => `{"sequence":${Number(sequence)},${payload.slice(1)}`),
    nextBefore: count.isLast ? null : (rows.at(-1)?.id ?? null),
    cursor: "after_id",
  };
}

/**
 * The sequence of an event from which a reader goes on.
 *
 * @throws if it, or an event after it, was removed: the reader would miss events
 */
export async function sequenceAfter({ reader }: Store, id: string): Promise<number> {
  const row = await reader.selectFrom("event").select("sequence").where("id", "=", id).executeTakeFirst();
  const pruned = await reader
    .selectFrom("setting")
    .select("value")
    .where("name", "=", PRUNED_THROUGH)
    .executeTakeFirst();
  if (row && Number(row.sequence) >= Number(pruned?.value ?? 0)) return Number(row.sequence);
  throw queryError(
    "after_id",
    `after_id names ${id}, which is no event here, or one after which older events were removed: read all objects again, and go on after the newest event`,
  );
}

function eventsLike(reader: Store["reader"], { type, objectId }: EventFilter) {
  let query = reader.selectFrom("event");
  if (type !== undefined) query = query.where("type", "=", type);
  if (objectId !== undefined) query = query.where("object_id", "=", objectId);
  return query;
}

/**
 * Counts the rows of a page without reading their large columns. A page with the newest rows has to begin at
 * `first`: newer ones, written since, would push its oldest out.
 */
async function countOf<T extends "event" | "audit_event">(
  sizes: SelectQueryBuilder<Database, T, { sequence: number; bytes: number }>,
  size: PageSize,
  order: "asc" | "desc",
): Promise<{ shown: number; isLast: boolean; first: number }> {
  const rows = await sizes
    .orderBy("sequence", order)
    .limit(size.limit + 1)
    .execute();
  const shown = fitting(
    rows.map(({ bytes }) => Number(bytes)),
    size,
  );
  return { shown, isLast: shown === rows.length, first: Number(rows[0]?.sequence ?? 0) };
}

export async function eventAt({ reader }: Store, id: string): Promise<Answer> {
  const row = await reader.selectFrom("event").select("payload").where("id", "=", id).executeTakeFirst();
  if (!row) throw new RequestError("not_found", `There is no event ${id}; old ones are removed`);
  return { json: row.payload, etag: `"${id}"` };
}

/** Upper limit for an audit row without its list of changed paths, in bytes. */
const BESIDES = 1024;

/** A page of the audit log, newest first. */
export async function auditPage({ reader }: Store, { before, ...size }: PageRequest): Promise<Page> {
  let query = reader.selectFrom("audit_event");
  if (before !== undefined) query = query.where("sequence", "<", sequenceOf(before));
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
  const documents = rows.map(({ sequence, changed, ...row }) =>
    JSON.stringify({ id: idOf(sequence), ...row, changed: JSON.parse(changed) }),
  );
  const last = rows.at(-1);
  return { documents, nextBefore: !count.isLast && last ? idOf(last.sequence) : null };
}

const idOf = (sequence: number): string => `au_${sequence}`;

function sequenceOf(id: string): number {
  const number = /^au_(\d{1,15})$/.exec(id)?.[1];
  if (number === undefined)
    throw queryError("before_id", 'before_id must be the id of an audit event, for example "au_17"');
  return Number(number);
}
