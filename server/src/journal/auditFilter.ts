import { actionOf, definitionNamed, EVENT_TYPES, type Kind } from "@tunnelplane/sdk/contract";
import { type SelectQueryBuilder, sql } from "kysely";
import type { Database, Store } from "../storage";

/** Which rows of the audit log are wanted; without any of these, all. */
export interface AuditFilter {
  /** The user or bot: its id or its name. */
  readonly principal?: string;
  readonly kind?: Kind;
  /** An action, for example `ip_policy_created`; or a change of any kind of object: {@link CHANGES}. */
  readonly action?: string;
  readonly objectId?: string;
  /** The first moment, as rows hold it. */
  readonly from?: string;
  /** The last moment. */
  readonly to?: string;
}

const CHANGES = ["created", "updated", "deleted", "expired"];

export const isFiltering = (filter: AuditFilter): boolean =>
  Object.values(filter).some((value) => value !== undefined);

type Rows<O> = SelectQueryBuilder<Database, "audit_event", O>;

/** Keeps the rows that fit a filter. @param principals the ids that the filter's `principal` names */
export function matching<O>(rows: Rows<O>, filter: AuditFilter, principals: readonly string[]): Rows<O> {
  const { principal, kind, action, objectId, from, to } = filter;
  let query = rows;
  if (principal !== undefined) query = query.where("principal_id", "in", principals);
  if (kind !== undefined) {
    const prefix = `${definitionNamed(kind).idPrefix}_`;
    // Actions without an event are about things that have names, which may look like ids.
    query = query
      .where("event_id", "is not", null)
      .where(({ fn, lit, eb }) =>
        eb(fn<string>("substr", ["object_id", lit(1), lit(prefix.length)]), "=", prefix),
      );
  }
  if (action !== undefined) query = query.where("action", "in", actionsLike(action));
  if (objectId !== undefined) query = query.where("object_id", "=", objectId);
  if (from !== undefined) query = query.where("created_at", ">=", from);
  if (to !== undefined) query = query.where("created_at", "<=", to);
  return query;
}

/** How many users and bots of one name a search looks for. */
const MAX_NAMESAKES = 100;

/** The ids of the users and bots that an id or a name means. */
export async function principalsOf(
  reader: Store["reader"],
  { principal }: AuditFilter,
): Promise<readonly string[]> {
  if (principal === undefined) return [];
  const users = await reader
    .selectFrom("principal")
    .select("id")
    .where("name", "=", principal)
    .limit(MAX_NAMESAKES)
    .execute();
  const name = JSON.stringify(principal);
  const bots = await reader
    .selectFrom("resource")
    .select(["id", "document"])
    .where("kind", "=", "bot_user")
    .where(
      ({ val }) => sql<boolean>`document like ${val(`%"name":${name.replace(/[!%_]/g, "!$&")}%`)} escape '!'`,
    )
    .limit(MAX_NAMESAKES)
    .execute();
  // SQLite compares without case.
  const exactly = bots.filter(({ document }) => document.includes(`"name":${name}`));
  return [principal, ...[...users, ...exactly].map(({ id }) => id)];
}

/** The names of users and bots by their ids, as they are now. */
export async function principalNames(
  reader: Store["reader"],
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const users = await reader.selectFrom("principal").select(["id", "name"]).where("id", "in", ids).execute();
  const bots = await reader
    .selectFrom("resource")
    .select(["id", "document"])
    .where("id", "in", ids)
    .where("kind", "=", "bot_user")
    .execute();
  return new Map([
    ...users.map(({ id, name }): [string, string] => [id, name]),
    ...bots.map(({ id, document }): [string, string] => [id, JSON.parse(document).name]),
  ]);
}

const actionsLike = (action: string): readonly string[] =>
  CHANGES.includes(action) ? EVENT_TYPES.map(actionOf).filter((one) => one.endsWith(`_${action}`)) : [action];

/**
 * The row before which a search for the rows of a time may begin: as many rows after the last moment as
 * clocks that differ, or go back, can move a row. Rows are in the order of commits, without a gap.
 */
export async function endOf(
  reader: Store["reader"],
  { to }: AuditFilter,
  until: number,
  slack: number,
): Promise<number> {
  if (to === undefined) return until;
  let [low, high] = [1, until];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await reader
      .selectFrom("audit_event")
      .select("created_at")
      .where("sequence", "=", middle)
      .executeTakeFirst();
    if (row !== undefined && row.created_at <= to) low = middle + 1;
    else high = middle;
  }
  return Math.min(until, low + slack);
}
