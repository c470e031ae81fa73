import { createHash } from "node:crypto";
import type { Kysely } from "kysely";
import { type Keyring, newSecret } from "../../secrets";
import type { Database } from "../../storage";
import { SignInRefused } from "./refused";

/** How long a person may take at the identity provider, in milliseconds. */
export const ATTEMPT_MS = 10 * 60_000;
const PLACE = "sign_in";
const MARK = "sealed:";

/** A sign-in that was begun. Its browser keeps it, sealed, in a cookie. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  /** The PKCE code verifier. */
  readonly verifier: string;
  /** The address to which the identity provider sends the browser back. */
  readonly redirectUri: string;
  /** The path to which it goes then. */
  readonly returnTo: string;
  /** In milliseconds since 1970. */
  readonly until: number;
}

export const newAttempt = (redirectUri: string, returnTo: string): Attempt => ({
  state: newSecret("tps"),
  nonce: newSecret("tps"),
  verifier: newSecret("tps"),
  redirectUri,
  returnTo,
  until: Date.now() + ATTEMPT_MS,
});

/** The attempt as its cookie has it. */
export const sealAttempt = (keyring: Keyring, attempt: Attempt): string =>
  keyring.seal(PLACE, JSON.stringify(attempt)).slice(MARK.length);

/** Of one browser: of a cookie, browsers take 4,096 bytes with its name. */
const MAX_KEPT_LENGTH = 3800;
const BETWEEN = "~";

/** A browser's attempts, one for each tab, the newest first. @param kept those that it has */
export function withAttempt(kept: string | undefined, state: string, sealed: string): string {
  const all = [`${markOf(state)}:${sealed}`, ...(kept?.split(BETWEEN) ?? [])];
  while (all.length > 1 && all.join(BETWEEN).length > MAX_KEPT_LENGTH) all.pop();
  return all.join(BETWEEN);
}

/** The sealed attempt of a state, and what is kept without it. Without one of that state, the newest. */
export function takeAttempt(kept: string, state: string): { readonly sealed: string; readonly rest: string } {
  const all = kept.split(BETWEEN);
  const found = all.find((one) => one.startsWith(`${markOf(state)}:`)) ?? all[0] ?? "";
  return {
    sealed: found.replace(/^[0-9a-f]{12}:/, ""),
    rest: all.filter((one) => one !== found).join(BETWEEN),
  };
}

/** Tells the attempts of one browser apart. */
const markOf = (state: string): string => createHash("sha256").update(state).digest("hex").slice(0, 12);

/**
 * The attempt that this browser began.
 * @throws SignInRefused where it began none, or too long ago
 */
export async function openAttempt(
  db: Kysely<Database>,
  keyring: Keyring,
  cookie: string | undefined,
): Promise<Attempt> {
  if (cookie === undefined)
    throw new SignInRefused("This browser began no sign-in that is still open: begin again", ["cookie"]);
  const sealed = MARK + cookie;
  const opened = await keyring.opening(db, () => keyring.open(PLACE, sealed)).catch(() => sealed); // sealed under a key that is gone, or not by this server
  if (opened === sealed)
    throw new SignInRefused("This sign-in was not begun at this server: begin again", ["cookie"]);
  const attempt: Attempt = JSON.parse(opened);
  if (attempt.until < Date.now())
    throw new SignInRefused("This sign-in took longer than ten minutes: begin again", ["late"]);
  return attempt;
}
