import type { Answers } from "@tunnelplane/sdk";
import {
  DEFAULT_PROJECT,
  definitionOf,
  endTimeOf,
  groupSubject,
  isOfAccount,
  membershipsOf,
  ROLES,
  type Role,
  strongest,
} from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Database, isListed, statement } from "../storage";

/** Where a user or bot has which role, without what its key narrows. */
export interface Roles {
  /** In the whole account; null for none. */
  readonly account: Role | null;
  /** In single projects, by their ids. */
  readonly inProjects: ReadonlyMap<string, Role>;
  /**
   * From when on they are so, and until when, because of memberships that end; in milliseconds since 1970. A
   * clock may go back.
   */
  readonly from: number;
  readonly until: number;
}

/** A user or bot whose roles are asked for. */
export interface Principal {
  readonly id: string;
  /** The groups of a user's last sign-in. */
  readonly groups?: readonly string[];
  /** Its own role; a bot's holds in the project where it was made, unless it is one of the account. */
  readonly own?: { readonly role: string | null; readonly project: string };
}

/** The roles of a user or bot: its own, and those of its memberships that have not ended. */
export async function rolesOf(db: Kysely<Database>, { id, groups = [], own }: Principal): Promise<Roles> {
  const subjects = [id, ...groups.map(groupSubject)].map(membershipsOf);
  const found = await membershipsWithin(db, { scopes: JSON.stringify(subjects) });
  const now = Date.now();
  let [from, until] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const held: { project: string | null; role: Role }[] = [];
  for (const { document } of found) {
    const one: Answers["membership"] = JSON.parse(document);
    const end = endTimeOf(definitionOf("membership"), { ...one }) ?? Number.POSITIVE_INFINITY;
    if (end <= now) from = Math.max(from, end);
    else {
      until = Math.min(until, end);
      held.push({ project: one.project_id, role: one.role });
    }
  }
  const ownRole = ROLES.find((role) => role === own?.role);
  if (own && ownRole) held.push({ project: isOfAccount(ownRole) ? null : own.project, role: ownRole });
  const inProjects = new Map<string, Role>();
  for (const { project, role } of held)
    if (project !== null) inProjects.set(project, strongest([role, inProjects.get(project)]) ?? role);
  const account = strongest(held.map(({ project, role }) => (project === null ? role : null)));
  return { account: account ?? null, inProjects, from, until };
}

/** The project of the roles that users had before there were projects. */
export const OF_USERS = DEFAULT_PROJECT.id;

/** By the index of unique keys; each membership has one. */
export const membershipsWithin = statement<{ scopes: string }, Pick<Database["resource"], "id" | "document">>(
  (db, parameter) =>
    db
      .selectFrom("unique_key")
      .innerJoin("resource", "resource.id", "unique_key.resource_id")
      .select(["resource.id", "resource.document"])
      .where(isListed(db, "unique_key.scope", parameter("scopes"))),
);
