import { isObject, messageOf } from "@tunnelplane/sdk/contract";
import { claimIn } from "@tunnelplane/sdk/rules";
import * as oidc from "openid-client";
import type { Logger } from "pino";
import { DocumentReader } from "../documentReader";
import type { Attempt } from "./attempt";
import { Client } from "./client";
import type { Claims } from "./profile";
import { ProviderAway, SignInRefused } from "./refused";
import type { SignInSettings } from "./signInSettings";

/** How long what the provider says about itself is taken, in milliseconds. */
const FRESH_MS = 60 * 60_000;
/** A provider that did not answer is not asked again for this long. */
const AGAIN_MS = 5_000;

/**
 * The identity provider: where its sign-in is, and what its answers say. It is asked when somebody signs in,
 * and never before.
 */
export class IdentityProvider {
  /** An operator names the provider, so it may be in a private network. */
  readonly #reader = new DocumentReader(true);
  #known: { readonly configuration: oidc.Configuration; readonly at: number } | undefined;
  #asked: Promise<oidc.Configuration> | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;
  readonly #client: Client | undefined;

  constructor(
    private readonly settings: SignInSettings,
    private readonly logger: Pick<Logger, "warn">,
  ) {
    this.#client = settings.clientSecret === undefined ? undefined : new Client(settings.clientSecret);
  }

  /** The address at which a person signs in. @throws ProviderAway */
  async addressFor({ redirectUri, state, nonce, verifier }: Attempt): Promise<string> {
    const url = oidc.buildAuthorizationUrl(await this.#configuration(), {
      redirect_uri: redirectUri,
      scope: this.settings.scopes,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      state,
      nonce,
    });
    return url.href;
  }

  /**
   * Redeems the code that a browser brought back, and checks what comes for it.
   * @param query of the address to which the provider sent the browser
   * @throws ProviderAway; SignInRefused where an answer is not for this attempt
   */
  async claimsFor({ redirectUri, state, nonce, verifier }: Attempt, query: string): Promise<Claims> {
    const configuration = await this.#configuration();
    try {
      const redeem = () =>
        oidc.authorizationCodeGrant(configuration, new URL(`${redirectUri}${query}`), {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
      const tokens = await redeem().catch((error: unknown) => {
        if (!isOtherClient(error) || !this.#client?.change(configuration.serverMetadata())) throw error;
        return redeem();
      });
      const claims = tokens.claims();
      if (!claims) throw new SignInRefused(UNFIT, ["id_token"]);
      if (configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      return { ...(await this.#userInfo(configuration, tokens.access_token, claims)), ...claims };
    } catch (error) {
      throw this.#refusalOf(error);
    }
  }

  /** What the userinfo endpoint says. Without an answer, the ID token is enough if it has what is needed. */
  async #userInfo(configuration: oidc.Configuration, token: string, claims: oidc.IDToken): Promise<Claims> {
    try {
      return await oidc.fetchUserInfo(configuration, token, claims.sub);
    } catch (error) {
      const { usernameClaim, groupsClaim, requireGroups, issuer } = this.settings;
      const needed = [usernameClaim, ...(requireGroups.length > 0 ? [groupsClaim] : [])];
      if (needed.some((name) => claimIn(claims, name) === undefined)) throw error;
      this.logger.warn(
        { issuer, reason: reasonsOf(error).join(": ") },
        "the identity provider's userinfo cannot be read: who signs in has only the claims of the ID token",
      );
      return {};
    }
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  async #configuration(): Promise<oidc.Configuration> {
    if (this.#known && performance.now() - this.#known.at < FRESH_MS) return this.#known.configuration;
    if (this.#asked === undefined && performance.now() - this.#failedAt < AGAIN_MS)
      return this.#known?.configuration ?? fail(new ProviderAway());
    this.#asked ??= this.#ask().finally(() => {
      this.#asked = undefined;
    });
    try {
      return await this.#asked;
    } catch (error) {
      if (this.#known) return this.#known.configuration;
      throw error;
    }
  }

  async #ask(): Promise<oidc.Configuration> {
    const { issuer, clientId } = this.settings;
    try {
      const configuration = await oidc.discovery(
        new URL(issuer),
        clientId,
        undefined,
        this.#client?.authenticate ?? oidc.None(),
        {
          [oidc.customFetch]: (url, asked) => this.#fetch(url, asked),
          execute: [
            oidc.enableNonRepudiationChecks,
            ...(issuer.startsWith("http:") ? [oidc.allowInsecureRequests] : []),
          ],
        },
      );
      this.#known = { configuration, at: performance.now() };
      return configuration;
    } catch (error) {
      this.#failedAt = performance.now();
      this.logger.warn(
        { issuer, reason: reasonsOf(error).join(": ") },
        "the identity provider cannot be read; nobody can sign in until it can. Is --oidc-issuer its issuer URL, is it reachable from here, and is its certificate trusted (NODE_EXTRA_CA_CERTS)?",
      );
      throw new ProviderAway();
    }
  }

  async #fetch(url: string, asked: Parameters<DocumentReader["fetch"]>[1]): Promise<Response> {
    const answer = await this.#reader.fetch(url, asked).catch((error: unknown) => {
      throw new ProviderAway(messageOf(error));
    });
    if (answer.status >= 500) throw new ProviderAway(`it answered ${answer.status}`);
    return url.endsWith("/.well-known/openid-configuration") && answer.ok ? completed(answer) : answer;
  }

  #refusalOf(error: unknown): unknown {
    if (error instanceof SignInRefused) return error;
    const away = causesOf(error).find((cause) => cause instanceof ProviderAway);
    if (away) {
      this.logger.warn(
        { issuer: this.settings.issuer, reason: away.message },
        "the identity provider is away",
      );
      return away;
    }
    if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError) {
      const name = /^[\w.-]{1,60}$/.exec(error.error)?.[0] ?? "an error";
      return new SignInRefused(`The identity provider did not let you in (${name})`, [name]);
    }
    return new SignInRefused(UNFIT, reasonsOf(error).slice(0, 3));
  }
}

/** The library takes a signed userinfo only where the document says how; many leave that out. */
async function completed(answer: Response): Promise<Response> {
  const document: unknown = await answer.json();
  if (!isObject(document)) throw new ProviderAway("its discovery document is not a JSON object");
  const { id_token_signing_alg_values_supported: signs } = document;
  const whole = { userinfo_signing_alg_values_supported: signs, ...document };
  return new Response(JSON.stringify(whole), { headers: answer.headers });
}

const UNFIT =
  "The answer of the identity provider does not belong to this sign-in, or is not valid: begin again. An admin sees why in the audit log, under this number";

const isOtherClient = (error: unknown): boolean =>
  error instanceof oidc.ResponseBodyError && (error.error === "invalid_client" || error.status === 401);

function causesOf(error: unknown): object[] {
  const found: object[] = [];
  for (let cause = error; isObject(cause) && found.length < 10; cause = cause.cause) found.push(cause);
  return found;
}

/** What went wrong, from the outside in; the library's messages repeat no token. */
const reasonsOf = (error: unknown): string[] => causesOf(error).map((cause) => wordsOf(cause).slice(0, 200));

/** The library's errors have answers and parts of tokens as their causes, which are no words. */
const wordsOf = (cause: object): string =>
  cause instanceof Response
    ? `it answered ${cause.status}`
    : cause instanceof Error
      ? messageOf(cause)
      : Object.keys(cause).join(", ");

function fail(error: Error): never {
  throw error;
}
