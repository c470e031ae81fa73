import type { Definition } from "@tunnelplane/sdk/contract";
import { withArticle } from "@tunnelplane/sdk/contract";
import { queryError, quoted } from "../util";

const PAGE_LIMIT = 100;
/** In seconds. */
const MAX_WAIT = 30;

export type Query = Readonly<Record<string, string>>;

/** Reads `limit`: the largest number of objects in a page. */
export function limitOf({ limit: text }: Query, usual = PAGE_LIMIT): number {
  if (text === undefined) return usual;
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= PAGE_LIMIT) return Number(text);
  throw queryError("limit", `limit must be a whole number from 1 to ${PAGE_LIMIT}`);
}

/** Reads `before_id`: the page holds objects older than this one. */
export function beforeOf(
  { title, idPrefix }: Pick<Definition, "title" | "idPrefix">,
  { before_id: text }: Query,
): string | undefined {
  if (text === undefined || text.startsWith(`${idPrefix}_`)) return text;
  throw queryError(
    "before_id",
    `before_id must be the id of ${withArticle(title)}, which begins with "${idPrefix}_"`,
  );
}

/** Reads `after_id`: the page holds events that came later than this one. */
export function afterOf({ after_id: text, before_id: before }: Query): string | undefined {
  if (text === undefined) return undefined;
  if (before !== undefined)
    throw queryError("after_id", "after_id and before_id exclude each other: oldest first, or newest first");
  if (text.startsWith("ev_")) return text;
  throw queryError("after_id", 'after_id must be the id of an event, which begins with "ev_"');
}

/** Reads `wait`, in seconds. */
export function waitOf({ wait: text, before_id: before }: Query): number | undefined {
  if (text === undefined) return undefined;
  if (before !== undefined)
    throw queryError("wait", "wait is for new events only: leave out wait or before_id");
  if (/^\d{1,2}$/.test(text) && Number(text) <= MAX_WAIT) return Number(text);
  throw queryError("wait", `wait must be a whole number of seconds from 0 to ${MAX_WAIT}`);
}

/** Reads `dry_run`. */
export const dryRunOf = (query: Query): boolean => flagOf("dry_run", query);

/** Reads `force`: whether a change may keep its own caller out. */
export const forceOf = (query: Query): boolean => flagOf("force", query);

/** Reads `state`: whether a list has the state of each object. */
export const stateOf = (query: Query): boolean => flagOf("state", query);

/** Reads `names`: whether objects are answered with their names. */
export const asksForNames = (query: Query): boolean => flagOf("names", query);

/** Reads `with_replacement`: whether a deletion takes along what was created to replace the object. */
export const withReplacementOf = (query: Query): boolean => flagOf("with_replacement", query);

function flagOf(name: string, { [name]: text }: Query): boolean {
  if (text === undefined || text === "false") return false;
  if (text === "true") return true;
  throw queryError(name, `${name} must be true or false`);
}

/**
 * Reads `remove`: the fields of the parts that an update removes.
 *
 * @param parts the field of each part, by its name in answers
 */
export function removedIn({ remove: text }: Query, parts: ReadonlyMap<string, string>): string[] {
  return (text === undefined ? [] : text.split(",")).map((name) => {
    const field = parts.get(name);
    if (field !== undefined) return field;
    const accepted = [...parts.keys()].join(", ");
    throw queryError("remove", `remove names ${quoted(name)}; accepted, with commas between: ${accepted}`);
  });
}

/** Whether a dry run answers the effects of the change. */
export function findingsOf(query: Query): boolean {
  if (!flagOf("findings", query)) return false;
  if (dryRunOf(query)) return true;
  throw queryError("findings", "only dry runs answer findings: add dry_run=true");
}

/** Reads `shared`: whether a list has the objects of shared projects too. */
export const sharedOf = (query: Query): boolean => flagOf("shared", query);
