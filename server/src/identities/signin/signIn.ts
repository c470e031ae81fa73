import type { Logger } from "pino";
import { beginSession, endSession, isUsed, SESSION_MS, TooManyUsers, userOf } from "../../auth";
import { type AuditedAction, type Author, type Journal, journaled } from "../../journal";
import { type Keyring, newSecret } from "../../secrets";
import type { Store } from "../../storage";
import { newId } from "../../util";
import { newAttempt, openAttempt, sealAttempt, withAttempt } from "./attempt";
import { aboutUser, type Claims, profileOf } from "./profile";
import { IdentityProvider } from "./provider";
import { SignInRefused } from "./refused";
import type { SignInSettings } from "./signInSettings";
import { Strangers } from "./strangers";

/** What of the server's context a sign-in needs. */
export interface SignInContext {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly journal: Journal;
}

/** A request, as logs name it. */
interface Asking {
  /** The request's id in the log. */
  readonly operationId: string;
  /** The client's address. */
  readonly client: string;
}

interface Returned extends Asking {
  /** The query with which the identity provider sent the browser back. */
  readonly query: string;
  /** What the browser keeps of its attempt. */
  readonly cookie: string | undefined;
  /** The id of the session that this browser had so far. */
  readonly former: string | undefined;
}

/** In characters of JSON. Claims that are longer are not kept. */
const MAX_CLAIMS_LENGTH = 16 * 1024;

/** Lets people sign in at an identity provider, with OpenID Connect's code flow, PKCE, state and nonce. */
export class SignIn {
  readonly #provider: IdentityProvider;
  readonly #strangers = new Strangers((about) =>
    this.#write({ about }, { operationId: newId("op"), client: "" }),
  );

  constructor(
    private readonly context: SignInContext,
    private readonly settings: SignInSettings,
    private readonly logger: Pick<Logger, "warn" | "info">,
  ) {
    this.#provider = new IdentityProvider(settings, logger);
  }

  /**
   * Begins a sign-in. The cookie binds it to the browser.
   * @param kept what the browser keeps of attempts in other tabs
   * @throws ProviderAway
   */
  async begin(
    redirectUri: string,
    returnTo: string,
    kept: string | undefined,
  ): Promise<{ address: string; cookie: string }> {
    const attempt = newAttempt(redirectUri, returnTo);
    const address = await this.#provider.addressFor(attempt);
    const sealed = sealAttempt(this.context.keyring, attempt);
    return { address, cookie: withAttempt(kept, attempt.state, sealed) };
  }

  /**
   * Ends a sign-in with a session. Its first one makes the user.
   * @throws SignInRefused, ProviderAway
   */
  async finish({ query, cookie, ...asking }: Returned): Promise<{ secret: string; returnTo: string }> {
    const { store, keyring } = this.context;
    const attempt = await openAttempt(store.reader, keyring, cookie);
    if (await isUsed(store.reader, attempt.state)) throw replayed();
    const claims = await this.#provider.claimsFor(attempt, query);
    const secret = newSecret("tps");
    await this.#admit(claims, { ...asking, secret, begunAs: attempt.state });
    return { secret, returnTo: attempt.returnTo };
  }

  /** Writes down that a sign-in was refused, and why. */
  async record({ about, userId }: SignInRefused, { operationId, client }: Asking): Promise<void> {
    this.logger.warn({ operation_id: operationId, client, user: userId, about }, "sign-in refused");
    if (userId === undefined && !this.#strangers.hasRow(about)) return;
    await this.#write({ about, userId }, { operationId, client });
  }

  async #write(
    { about, userId }: Partial<SignInRefused> & Pick<SignInRefused, "about">,
    { operationId, client }: Pick<Asking, "operationId" | "client">,
  ): Promise<void> {
    const nobody: Author = { ownerId: "nobody", name: "nobody", operationId, client };
    await journaled(this.context, (transaction, begunUnder) =>
      this.context.journal.append(transaction, begunUnder, nobody, [
        { action: "sign_in_refused", subject: userId, about },
      ]),
    );
  }

  async close(): Promise<void> {
    await this.#strangers.close();
    await this.#provider.close();
  }

  async #admit(
    claims: Claims,
    {
      operationId,
      client,
      former,
      secret,
      begunAs,
    }: Omit<Returned, "query" | "cookie"> & { secret: string; begunAs: string },
  ): Promise<void> {
    const profile = profileOf(claims, this.settings);
    const kept = JSON.stringify(aboutUser(claims));
    const { id, userId, isNew } = await journaled(this.context, async (transaction, begunUnder) => {
      const { user, isNew } = await userOf(transaction, profile).catch((error: unknown) => {
        throw error instanceof TooManyUsers ? full() : error;
      });
      if (!user.active)
        throw new SignInRefused("You may not sign in here any more; ask an admin", ["inactive"], user.id);
      if (await isUsed(transaction, begunAs)) throw replayed();
      const acts: AuditedAction[] = isNew ? [{ action: "user_created", subject: user.id }] : [];
      if (former !== undefined && (await endSession(transaction, former)))
        acts.push({ action: "session_ended", subject: former });
      const id = await beginSession(transaction, {
        secret,
        begunAs,
        client,
        kind: "console",
        user_id: user.id,
        lastsMs: SESSION_MS,
        claims: kept.length <= MAX_CLAIMS_LENGTH ? kept : "{}",
      });
      acts.push({ action: "signed_in", subject: id });
      const author: Author = { ownerId: user.id, name: user.name, keyId: id, operationId, client };
      await this.context.journal.append(transaction, begunUnder, author, acts);
      return { id, userId: user.id, isNew };
    });
    this.logger.info(
      { operation_id: operationId, client, user: userId, session: id, is_new: isNew },
      "signed in",
    );
  }
}

const replayed = (): SignInRefused =>
  new SignInRefused("This sign-in was finished already: begin again", ["replayed"]);

const full = (): SignInRefused =>
  new SignInRefused("There are as many users here as there may be; ask an admin", ["too many users"]);
