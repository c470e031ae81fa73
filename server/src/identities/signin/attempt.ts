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
