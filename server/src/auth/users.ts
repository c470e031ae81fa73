import type { Kysely } from "kysely";
import { type Documents, type Page, pageOf } from "../documents";
import type { Database, PrincipalRow, Transaction } from "../storage";
import { newId, quoted, RequestError } from "../util";
import type { Caller } from "./caller";
import { isAdminLeft } from "./lastAdmin";

/** Of users who signed in once. */
const MAX_USERS = 10_000;
const PLACE = { path: "/users" };

/** A user as its identity provider knows it. */
export interface Profile {
  readonly issuer: string;
  readonly subject: string;
  readonly name: string;
  readonly email: string | null;
  readonly groups: readonly string[];
}

/** There are as many users as there may be. */
export class TooManyUsers extends Error {}

/**
 * The user of a profile, with what its identity provider says now; made if there is none. Locks its row.
 * @throws TooManyUsers
 */
export async function userOf(
  transaction: Transaction,
  { issuer, subject, name, email, groups }: Profile,
): Promise<{ readonly user: PrincipalRow; readonly isNew: boolean }> {
  const find = () =>
    transaction
      .selectFrom("principal")
      .selectAll()
      .where("issuer", "=", issuer)
      .where("subject", "=", subject)
      .forUpdate()
      .executeTakeFirst();
  const now = new Date().toISOString();
  const known = { name, email, groups: JSON.stringify(groups), last_sign_in_at: now };
  const found = await find();
  if (!found) {
    const { count } = await transaction
      .selectFrom("principal")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("issuer", "is not", null)
      .executeTakeFirstOrThrow();
    if (Number(count) >= MAX_USERS) throw new TooManyUsers();
    // Another sign-in of the same user may be faster.
    await transaction
      .insertInto("principal")
      .values({ id: newId("usr"), issuer, subject, role: "none", active: 1, created_at: now, ...known })
      .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
      .execute();
  }
  const user = found ?? (await find());
  if (!user) throw new Error("A user that was just made is missing");
  if (user.active) await transaction.updateTable("principal").set(known).where("id", "=", user.id).execute();
  return { user: { ...user, ...known }, isNew: !found };
}

/** A user as the API shows it. */
const shown = (
  documents: Documents,
  { id, name, email, issuer, subject, active, groups, created_at, last_sign_in_at }: PrincipalRow,
) => ({
  id,
  uri: documents.addressOf(PLACE, id),
  name,
  email,
  issuer,
  subject,
  active: active === 1,
  groups: JSON.parse(groups),
  created_at,
  last_sign_in_at,
});

/** The users, newest first. */
export async function userPage(
  db: Kysely<Database>,
  documents: Documents,
  { limit, before }: { readonly limit: number; readonly before: string | undefined },
): Promise<Page> {
  let query = db.selectFrom("principal").selectAll();
  if (before !== undefined) query = query.where("id", "<", before);
  const rows = await query
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  return pageOf(rows, limit, (row) => shown(documents, row));
}

/** @throws RequestError if there is none */
export async function userAt(db: Kysely<Database>, documents: Documents, id: string) {
  const row = await db.selectFrom("principal").selectAll().where("id", "=", id).executeTakeFirst();
  if (!row) throw noUser(id);
  return shown(documents, row);
}

/**
 * Activates a user, or deactivates it, which ends its sessions. Of two admins who deactivate each other, the
 * later one is refused.
 * @param check called with the user as it is
 * @throws RequestError
 */
export async function setActive(
  transaction: Transaction,
  documents: Documents,
  { caller, id, active }: { readonly caller: Caller; readonly id: string; readonly active: boolean },
  check: (user: ReturnType<typeof shown>) => void,
): Promise<{ readonly user: ReturnType<typeof shown>; readonly isChanged: boolean }> {
  const rows = await transaction
    .selectFrom("principal")
    .selectAll()
    .where("id", "in", [id, caller.ownerId])
    .orderBy("id")
    .forUpdate()
    .execute();
  const user = rows.find((row) => row.id === id);
  if (!user) throw noUser(id);
  check(shown(documents, user));
  if (rows.some((row) => row.id === caller.ownerId && !row.active))
    throw new RequestError("forbidden", "You are not active any more; an admin can activate you");
  if (!active && id === caller.ownerId)
    throw new RequestError(
      "invalid_field",
      "active is false, but this is you: another admin may deactivate you",
      { field: "active" },
    );
  const after = { ...user, active: active ? 1 : 0 } as const;
  if (after.active === user.active) return { user: shown(documents, user), isChanged: false };
  if (!active && !(await isAdminLeft(transaction, new Set([id]))))
    throw new RequestError(
      "in_use",
      `${id} is the last admin of the account for good; make another one first`,
    );
  await transaction.updateTable("principal").set({ active: after.active }).where("id", "=", id).execute();
  if (!active) await transaction.deleteFrom("session").where("user_id", "=", id).execute();
  return { user: shown(documents, after), isChanged: true };
}

const noUser = (id: string): RequestError =>
  new RequestError("not_found", `There is no user ${quoted(id)}; bots are at /bot_users`);
