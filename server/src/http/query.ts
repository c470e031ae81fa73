import type { Definition } from "@tunnelplane/sdk/contract";
import { withArticle } from "@tunnelplane/sdk/contract";
import { RequestError } from "../util";

const PAGE_LIMIT = 100;
/** In seconds. */
const LONGEST_WAIT = 30;

export type Query = Readonly<Record<string, string>>;

/** Reads `limit`: the largest number of objects in a page. */
export function limitOf({ limit: text }: Query): number {
  if (text === undefined) return PAGE_LIMIT;
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= PAGE_LIMIT) return Number(text);
  throw new RequestError("invalid_query", `limit must be a whole number from 1 to ${PAGE_LIMIT}`, {
    field: "limit",
  });
}

/** Reads `before_id`: the page holds objects older than this one. */
export function beforeOf(
  { title, idPrefix }: Pick<Definition, "title" | "idPrefix">,
  { before_id: text }: Query,
): string | undefined {
  if (text === undefined || text.startsWith(`${idPrefix}_`)) return text;
  throw new RequestError(
    "invalid_query",
    `before_id must be the id of ${withArticle(title)}, which begins with "${idPrefix}_"`,
    {
      field: "before_id",
    },
  );
}

/** Reads `after_id`: the page holds events that came later than this one. */
export function afterOf({ after_id: text, before_id: before }: Query): string | undefined {
  if (text === undefined) return undefined;
  if (before !== undefined)
    throw new RequestError(
      "invalid_query",
      "after_id and before_id exclude each other: oldest first, or newest first",
      {
        field: "after_id",
      },
    );
  if (text.startsWith("ev_")) return text;
  throw new RequestError("invalid_query", 'after_id must be the id of an event, which begins with "ev_"', {
    field: "after_id",
  });
}

/** Reads `wait`, in seconds. */
export function waitOf({ wait: text, before_id: before }: Query): number | undefined {
  if (text === undefined) return undefined;
  if (before !== undefined)
    throw new RequestError("invalid_query", "nothing old is waited for: leave out wait or before_id", {
      field: "wait",
    });
  if (/^\d{1,2}$/.test(text) && Number(text) <= LONGEST_WAIT) return Number(text);
  throw new RequestError(
    "invalid_query",
    `wait must be a whole number of seconds from 0 to ${LONGEST_WAIT}`,
    { field: "wait" },
  );
}

/** Reads `dry_run`. */
export function dryRunOf({ dry_run: text }: Query): boolean {
  if (text === undefined || text === "false") return false;
  if (text === "true") return true;
  throw new RequestError("invalid_query", "dry_run must be true or false", { field: "dry_run" });
}

/** Whether a dry run tells what the change would mean. */
export function findingsOf(query: Query): boolean {
  const { findings: text } = query;
  if (text === undefined || text === "false") return false;
  if (text !== "true")
    throw new RequestError("invalid_query", "findings must be true or false", { field: "findings" });
  if (dryRunOf(query)) return true;
  throw new RequestError("invalid_query", "findings are told by dry runs only: add dry_run=true", {
    field: "findings",
  });
}
