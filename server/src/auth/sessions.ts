import { hash, timingSafeEqual } from "node:crypto";
import type { Kysely } from "kysely";
import { type Documents, type Page, pageOf } from "../documents";
import { hashSecret, newSecret } from "../secrets";
import { type Database, type SessionRow, statement, type Transaction } from "../storage";
import { newId, quoted, RequestError } from "../util";

/** How long a session in a browser lasts, in milliseconds. */
export const SESSION_MS = 8 * 60 * 60_000;
/** How long the key of a command line lasts. */
export const LOGIN_MS = 12 * 60 * 60_000;
/** Of one user; the oldest ends when another begins. */
const MAX_SESSIONS = 100;
/** A session that ended is forgotten a day later: until then it is answered that it ended, and when. */
const KEPT_MS = 24 * 60 * 60_000;
const PLACE = { path: "/sessions" };

/** A session to begin. */
export interface NewSession extends Pick<SessionRow, "user_id" | "kind" | "client" | "claims"> {
  /** Identifies it; only the hash is stored. */
  readonly secret: string;
  /** How long it lasts, in milliseconds. */
  readonly lastsMs: number;
  /** The value that the sign-in was begun with; it begins no other session. */
  readonly begunAs?: string;
}

/** Begins a session, and ends the user's oldest ones above the limit. Returns its id. */
export async function beginSession(transaction: Transaction, session: NewSession): Promise<string> {
  const { secret, lastsMs, begunAs, ...others } = session;
  const [id, now] = [newId("ses"), Date.now()];
  const surplus = await transaction
    .selectFrom("session")
    .select("id")
    .where("user_id", "=", session.user_id)
    .orderBy("id", "desc")
    .offset(MAX_SESSIONS - 1)
    .limit(MAX_SESSIONS)
    .execute();
  for (const one of surplus) await transaction.deleteFrom("session").where("id", "=", one.id).execute();
  await transaction
    .insertInto("session")
    .values({
      ...others,
      id,
      hash: hashSecret(secret),
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + lastsMs).toISOString(),
      begun_as: begunAs === undefined ? null : hashSecret(begunAs),
    })
    .execute();
  return id;
}

/** Begins the session of a command line. Returns its id and its API key. */
export async function beginLogin(
  transaction: Transaction,
  session: Pick<NewSession, "user_id" | "client" | "claims">,
): Promise<{ readonly id: string; readonly key: string; readonly expiresAt: string }> {
  const key = newSecret("tpk");
  const id = await beginSession(transaction, {
    ...session,
    secret: key,
    kind: "command_line",
    lastsMs: LOGIN_MS,
  });
  return { id, key, expiresAt: new Date(Date.now() + LOGIN_MS).toISOString() };
}

/** Whether a session was begun with this already. */
export async function isUsed(db: Kysely<Database>, begunAs: string): Promise<boolean> {
  const row = await db
    .selectFrom("session")
    .select("id")
    .where("begun_as", "=", hashSecret(begunAs))
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends a session. Returns whether there was one. */
export async function endSession(transaction: Transaction, id: string): Promise<boolean> {
  const { numDeletedRows } = await transaction.deleteFrom("session").where("id", "=", id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Removes sessions that ended a day ago. */
export const forgetEndedSessions = (db: Kysely<Database>): Promise<unknown> =>
  db
    .deleteFrom("session")
    .where("expires_at", "<", new Date(Date.now() - KEPT_MS).toISOString())
    .execute();

/**
 * The token that a page of the server sends beside the cookie of its session: other sites can make a browser
 * send the cookie, and cannot read this.
 */
export const csrfTokenOf = (secret: string): string => hash("sha256", `csrf ${secret}`, "base64url");

export function isCsrfTokenOf(secret: string, token: unknown): boolean {
  const [expected, given] = [Buffer.from(csrfTokenOf(secret)), Buffer.from(String(token ?? ""))];
  return expected.length === given.length && timingSafeEqual(expected, given);
}

/** A session, and whose it is. */
export const sessionByHash = statement<
  { hash: string },
  Pick<Database["session"], "hash" | "kind"> & {
    readonly keyId: string;
    readonly ownerId: string;
    readonly expiresAt: string;
    readonly role: Database["principal"]["role"];
    readonly name: string;
    readonly active: number;
    readonly groups: string;
  }
>((db, parameter) =>
  db
    .selectFrom("session")
    .innerJoin("principal as user", "user.id", "session.user_id")
    .select(["session.hash as hash", "session.kind as kind", "session.id as keyId"])
    .select(["session.user_id as ownerId", "session.expires_at as expiresAt"])
    .select(["user.role as role", "user.name as name", "user.active as active", "user.groups as groups"])
    .where("session.hash", "=", parameter("hash")),
);

const answered = (db: Kysely<Database>) =>
  db
    .selectFrom("session")
    .innerJoin("principal as user", "user.id", "session.user_id")
    .select(["session.id as id", "session.user_id as user_id", "user.name as user_name"])
    .select(["session.kind as kind", "session.created_at as created_at"])
    .select(["session.expires_at as expires_at", "session.client as client"])
    .where("session.expires_at", ">", new Date().toISOString());

/** A session as the API shows it: without what it is known by. */
const shown = <S extends { readonly id: string }>(documents: Documents, { id, ...others }: S) => ({
  id,
  uri: documents.addressOf(PLACE, id),
  ...others,
});

/** The sessions that last, newest first. */
export async function sessionPage(
  db: Kysely<Database>,
  documents: Documents,
  { limit, before }: { readonly limit: number; readonly before: string | undefined },
): Promise<Page> {
  let query = answered(db);
  if (before !== undefined) query = query.where("session.id", "<", before);
  const rows = await query
    .orderBy("session.id", "desc")
    .limit(limit + 1)
    .execute();
  return pageOf(rows, limit, (row) => shown(documents, row));
}

/** @throws RequestError if there is none, or it has ended */
export async function sessionAt(db: Kysely<Database>, documents: Documents, id: string) {
  const row = await answered(db).where("session.id", "=", id).executeTakeFirst();
  if (!row) throw new RequestError("not_found", `There is no session ${quoted(id)}; it may have ended`);
  return shown(documents, row);
}
