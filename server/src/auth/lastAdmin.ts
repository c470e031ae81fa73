import type { Answers } from "@tunnelplane/sdk";
import type { Kysely } from "kysely";
import { isChangeOf, type ObjectChange } from "../journal";
import { type Database, statement } from "../storage";
import { RequestError } from "../util";

/** Refuses changes after which nobody would be an admin of the account for good. */
export async function refuseLastAdmin(db: Kysely<Database>, changes: readonly ObjectChange[]): Promise<void> {
  const ending = changes.filter((change) => isAdmin(change, "before") && !isAdmin(change, "after"));
  if (ending.length === 0 || (await isAdminLeft(db, new Set(ending.map(({ id }) => id))))) return;
  throw new RequestError(
    "in_use",
    `${ending[0]?.id} makes the last admin of the account, who cannot be removed, narrowed or given an end; make another one first`,
  );
}

/**
 * Whether somebody is an admin of the account for good. Groups do not count: nobody may be in them.
 * @param without the ids of users, bots and memberships that do not count either
 */
export async function isAdminLeft(db: Kysely<Database>, without: ReadonlySet<string>): Promise<boolean> {
  const users = await adminUsers(db, {});
  if (users.some(({ id }) => !without.has(id))) return true;
  const others = (await adminObjects(db, {})).filter(({ id }) => !without.has(id));
  return others.some(({ kind, document }) => {
    const object: Fields = JSON.parse(document);
    return isAdminNow(kind, object) && !without.has(object.user_id ?? "");
  });
}

const isAdmin = (change: ObjectChange, when: "before" | "after"): boolean => {
  const object = change[when];
  return (
    object !== undefined &&
    (isChangeOf(change, "bot_user") || isChangeOf(change, "membership")) &&
    isAdminNow(change.definition.kind, object)
  );
};

function isAdminNow(kind: string, object: object): boolean {
  const { role, active, project_id, group, expires_at }: Fields = object;
  if (role !== "admin") return false;
  return kind === "bot_user" ? active !== false : project_id == null && group == null && expires_at == null;
}

type Fields = Partial<Pick<Answers["bot_user"], "role" | "active">> &
  Partial<Pick<Answers["membership"], "project_id" | "group" | "user_id" | "expires_at">>;

const adminUsers = statement<object, { id: string }>((db) =>
  db.selectFrom("principal").select("id").where("role", "=", "admin").where("active", "=", 1),
);

const adminObjects = statement<object, Pick<Database["resource"], "id" | "kind" | "document">>((db) =>
  db
    .selectFrom("resource")
    .select(["id", "kind", "document"])
    .where("kind", "in", ["bot_user", "membership"])
    .where("document", "like", '%"role":"admin"%'),
);
