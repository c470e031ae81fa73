import { ApiError } from "../apiError";
import type { Answer, Page } from "../objects";
import type { Store } from "../storage/store";

export interface PageRequest {
  readonly limit: number;
  /** Only what is older. */
  readonly before?: string;
}

/** A page of events, newest first. */
export async function eventPage(
  { reader }: Store,
  { type, objectId }: { type?: string; objectId?: string },
  { limit, before }: PageRequest,
): Promise<Page> {
  let query = reader.selectFrom("event").select(["id", "payload"]);
  if (type !== undefined) query = query.where("type", "=", type);
  if (objectId !== undefined) query = query.where("object_id", "=", objectId);
  if (before !== undefined) query = query.where("sequence", "<", reader.selectFrom("event").select("sequence").where("id", "=", before));
  const rows = await query
    .orderBy("sequence", "desc")
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  return { documents: shown.map(({ payload }) => payload), nextBefore: rows.length > limit ? (shown.at(-1)?.id ?? null) : null };
}

export async function eventAt({ reader }: Store, id: string): Promise<Answer> {
  const row = await reader.selectFrom("event").select("payload").where("id", "=", id).executeTakeFirst();
  if (!row) throw new ApiError("not_found", `There is no event ${id}; old ones are removed`);
  return { json: row.payload, etag: `"${id}"` };
}

/** A page of the audit log, newest first. */
export async function auditPage({ reader }: Store, { limit, before }: PageRequest): Promise<Page> {
  let query = reader.selectFrom("audit_event").selectAll();
  if (before !== undefined) query = query.where("sequence", "<", sequenceOf(before));
  const rows = await query
    .orderBy("sequence", "desc")
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const documents = shown.map(({ sequence, changed, ...row }) =>
    JSON.stringify({ id: idOf(sequence), ...row, changed: JSON.parse(changed) }),
  );
  const last = shown.at(-1);
  return { documents, nextBefore: rows.length > limit && last ? idOf(last.sequence) : null };
}

const idOf = (sequence: number): string => `au_${sequence}`;

function sequenceOf(id: string): number {
  const number = /^au_(\d{1,15})$/.exec(id)?.[1];
  if (number === undefined)
    throw new ApiError("invalid_query", 'before_id must be the id of an audit event, for example "au_17"', { field: "before_id" });
  return Number(number);
}
