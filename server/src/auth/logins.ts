import { hash, randomInt } from "node:crypto";
import type { Kysely } from "kysely";
import { hashSecret, newSecret } from "../secrets";
import type { Database, Transaction } from "../storage";
import { refusalForNow } from "../util";

/** How long a command line waits for somebody to let it in, in milliseconds. */
export const DEVICE_MS = 10 * 60_000;
/** How long a code that a browser brings lasts. */
const CODE_MS = 60_000;
/** Command lines that wait at once. */
const MAX_WAITING = 1000;
/** Of these, the places for addresses of which none waits yet. */
const RESERVED = 250;
/** Without vowels, so that no code is a word, and without letters that look alike (RFC 8628 section 6.1). */
const LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const LENGTH = 8;

/** The user who lets a command line in, with what its identity provider said of it. */
export interface Grant {
  readonly userId: string;
  /** A JSON object. */
  readonly claims: string;
}

/** The proof that a command line brings for its key. */
export interface LoginProof {
  /** The code that it was given, or its device code. */
  readonly code: string;
  /** The PKCE verifier, for a code that a browser brought. */
  readonly verifier: string | undefined;
}

/**
 * Has a command line wait for somebody who enters its user code on a page.
 * @param isFirst whether none of its address waits yet
 */
export async function beginDevice(
  transaction: Transaction,
  isFirst: boolean,
): Promise<{ readonly deviceCode: string; readonly userCode: string }> {
  await forgetEndedLogins(transaction);
  const { count } = await transaction
    .selectFrom("login")
    .select(({ fn }) => fn.countAll().as("count"))
    .executeTakeFirstOrThrow();
  if (Number(count) >= MAX_WAITING - (isFirst ? 0 : RESERVED))
    throw refusalForNow("overloaded", "Too many command lines wait to be let in; try again shortly");
  const deviceCode = newSecret("tps");
  const userCode = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  await insert(transaction, deviceCode, { user_code: userCode, lastsMs: DEVICE_MS });
  return { deviceCode, userCode };
}

/** Lets the command line with a user code in, as a user. Returns whether there is one that waits. */
export async function grantDevice(
  transaction: Transaction,
  userCode: string,
  { userId, claims }: Grant,
): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable("login")
    .set({ user_id: userId, claims })
    .where("user_code", "=", userCode)
    .where("user_id", "is", null)
    .where("expires_at", ">", new Date().toISOString())
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A code with which the command line of this PKCE challenge gets its key. */
export async function grantCode(
  transaction: Transaction,
  challenge: string,
  { userId, claims }: Grant,
): Promise<string> {
  const code = newSecret("tps");
  await insert(transaction, code, { challenge, user_id: userId, claims, lastsMs: CODE_MS });
  return code;
}

/**
 * Uses up a code: answers the user who let the command line in, or that nobody has yet. Undefined for one
 * that is unknown, used, ended, or another's.
 */
export async function redeem(
  transaction: Transaction,
  { code, verifier }: LoginProof,
): Promise<Grant | "waiting" | undefined> {
  const row = await transaction
    .selectFrom("login")
    .selectAll()
    .where("hash", "=", hashSecret(code))
    .where("expires_at", ">", new Date().toISOString())
    .forUpdate()
    .executeTakeFirst();
  if (!row) return undefined;
  const { user_id: userId, challenge, claims } = row;
  if (userId === null) return "waiting";
  await transaction.deleteFrom("login").where("hash", "=", row.hash).execute();
  const proof = verifier === undefined ? null : hash("sha256", verifier, "base64url");
  return proof === challenge ? { userId, claims } : undefined;
}

/** Removes logins that ended. */
const forgetEndedLogins = (db: Kysely<Database>): Promise<unknown> =>
  db.deleteFrom("login").where("expires_at", "<=", new Date().toISOString()).execute();

const insert = (
  transaction: Transaction,
  secret: string,
  { lastsMs, ...row }: Partial<Database["login"]> & { readonly lastsMs: number },
): Promise<unknown> =>
  transaction
    .insertInto("login")
    .values({
      user_code: null,
      challenge: null,
      user_id: null,
      claims: "{}",
      ...row,
      hash: hashSecret(secret),
      expires_at: new Date(Date.now() + lastsMs).toISOString(),
    })
    .execute();
