import type { SelectQueryBuilder } from "kysely";
import type { Caller } from "../auth";
import { type Answer, fitting, type LogPageRequest, type Page, type PageSize } from "../documents";
import { PRUNED_THROUGH } from "../journal";
import type { Database, Store } from "../storage";
import { queryError, RequestError } from "../util";

/** Whose events: those of the project that its request is about; undefined for all, which gateways read. */
type Reader = Pick<Caller, "project">;

export interface EventFilter {
  readonly type?: string;
  readonly objectId?: string;
}

/** A page of events, newest first. */
export async function eventPage(
  { reader }: Store,
  caller: Reader,
  filter: EventFilter,
  { before, ...size }: LogPageRequest,
): Promise<Page> {
  let query = eventsLike(reader, caller, filter);
  if (before !== undefined)
    query = query.where("sequence", "<", eventOf(reader, before, caller).select("sequence"));
  const sizes = query.select((of) => ["sequence", of.fn<number>("octet_length", ["payload"]).as("bytes")]);
  const count = await countOf(sizes, size, "desc");
  query = query.where("sequence", "<=", count.first);
  const rows = await query.select(["id", "payload"]).orderBy("sequence", "desc").limit(count.shown).execute();
  return {
    documents: rows.map(({ payload }) => payload),
    nextBefore: count.isLast ? null : (rows.at(-1)?.id ?? null),
  };
}

/**
 * A page of events after a sequence, oldest first.
 * @param isNumbered whether each says its own sequence: it gives away how many events others have in between
 */
export async function eventsAfter(
  { reader }: Store,
  caller: Reader,
  filter: EventFilter,
  { after, isNumbered, ...size }: PageSize & { after: number; isNumbered: boolean },
): Promise<Page> {
  const query = eventsLike(reader, caller, filter).where("sequence", ">", after);
  const sizes = query.select((of) => ["sequence", of.fn<number>("octet_length", ["payload"]).as("bytes")]);
  const count = await countOf(sizes, size, "asc");
  const rows = await query
    .select(["id", "sequence", "payload"])
    .orderBy("sequence")
    .limit(count.shown)
    .execute();
  return {
    documents: rows.map(({ sequence, payload }) =>
      isNumbered ? `{"sequence":${Number(sequence)},${payload.slice(1)}` : payload,
    ),
    nextBefore: count.isLast ? null : (rows.at(-1)?.id ?? null),
    cursor: "after_id",
  };
}

/**
 * The sequence of an event from which a reader goes on.
 *
 * @throws if it, or an event after it, was removed: the reader would miss events
 */
export async function sequenceAfter({ reader }: Store, caller: Reader, id: string): Promise<number> {
  const row = await eventOf(reader, id, caller).select("sequence").executeTakeFirst();
  const pruned = await reader
    .selectFrom("setting")
    .select("value")
    .where("name", "=", PRUNED_THROUGH)
    .executeTakeFirst();
  if (row && Number(row.sequence) >= Number(pruned?.value ?? 0)) return Number(row.sequence);
  throw queryError(
    "after_id",
    `after_id names ${id}, which is not an event here, or one after which older events were removed: read all objects again, and go on after the newest event`,
  );
}

/** One event, if it is of the project. */
const eventOf = (reader: Store["reader"], id: string, caller: Reader) =>
  eventsLike(reader, caller, {}).where("id", "=", id);

function eventsLike(reader: Store["reader"], { project }: Reader, { type, objectId }: EventFilter) {
  let query = reader.selectFrom("event");
  if (project !== undefined) query = query.where("project_id", "=", project);
  if (type !== undefined) query = query.where("type", "=", type);
  if (objectId !== undefined) query = query.where("object_id", "=", objectId);
  return query;
}

/**
 * Counts the rows of a page without reading their large columns. A page with the newest rows has to begin at
 * `first`: newer ones, written since, would push its oldest out.
 */
async function countOf(
  sizes: SelectQueryBuilder<Database, "event", { sequence: number; bytes: number }>,
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

export async function eventAt({ reader }: Store, caller: Reader, id: string): Promise<Answer> {
  const row = await eventOf(reader, id, caller).select("payload").executeTakeFirst();
  if (!row) throw new RequestError("not_found", `There is no event ${id}; old ones are removed`);
  return { json: row.payload, etag: `"${id}"` };
}
