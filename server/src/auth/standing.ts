import type { Answers } from "@tunnelplane/sdk";
import { isOfAccount, membershipsOf, type Role } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Database, statement } from "../storage";
import { membershipsWithin, OF_USERS } from "./roles";

/**
 * Where a user or bot has a role, has had one, or will have: the ids of projects, and null for the whole
 * account. Undefined if there is no such user or bot.
 */
export type Standing = ReadonlySet<string | null> | undefined;

/**
 * Where a user or bot stands. Groups of users are left out: they are known only at sign-in.
 * @param without the ids of memberships that do not count, because the request itself makes them
 */
export async function standingOf(
  db: Kysely<Database>,
  id: string,
  without: ReadonlySet<string> = new Set(),
): Promise<Standing> {
  const [bot] = await botById(db, { id });
  const [user] = bot ? [] : await userRole(db, { id });
  if (!bot && !user) return undefined;
  const found = await membershipsWithin(db, { scopes: JSON.stringify([membershipsOf(id)]) });
  const stands = new Set(
    found.flatMap(({ id: membership, document }) => {
      if (without.has(membership)) return [];
      const { project_id: project }: Answers["membership"] = JSON.parse(document);
      return [project];
    }),
  );
  if (bot) {
    const { role = "member" }: Partial<Answers["bot_user"]> = JSON.parse(bot.document);
    stands.add(isOfAccount(role) ? null : bot.project_id);
  } else if (user && isRole(user.role)) stands.add(isOfAccount(user.role) ? null : OF_USERS);
  return stands;
}

/** Whether somebody stands in a project, there or in the whole account. */
export const isWithin = (standing: Standing, project: string | undefined): boolean =>
  standing !== undefined && project !== undefined && (standing.has(project) || standing.has(null));

/** Whether somebody stands nowhere else. */
export const isWithinAlone = (standing: Standing, project: string | undefined): boolean =>
  project !== undefined && standing?.size === 1 && standing.has(project);

const isRole = (role: string): role is Role => role !== "none";

const botById = statement<{ id: string }, Pick<Database["resource"], "document" | "project_id">>(
  (db, parameter) =>
    db
      .selectFrom("resource")
      .select(["document", "project_id"])
      .where("id", "=", parameter("id"))
      .where("kind", "=", "bot_user"),
);

const userRole = statement<{ id: string }, { role: string }>((db, parameter) =>
  db.selectFrom("principal").select("role").where("id", "=", parameter("id")),
);
