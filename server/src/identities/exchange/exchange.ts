import { EXCHANGED_KEY_S, isObject, type Kind, scopesBeyond } from "@tunnelplane/sdk/contract";
import type { JWTPayload } from "jose";
import type { Logger } from "pino";
import { projectNames } from "../../auth";
import { type Author, type Journal, journaled } from "../../journal";
import { hashSecret, type Keyring, newSecret } from "../../secrets";
import { type Database, insertion, type Store, statement } from "../../storage";
import { newId, RequestError, refusalForNow } from "../../util";
import { identitiesOf, lackingFor, type StoredIdentity } from "./identities";
import { Issuers } from "./issuers";
import { TokenRefused } from "./refused";
import { issuerNamedBy, verified } from "./verify";

/** Of identities that are named in an error. */
const MAX_NAMED = 5;
/** The id of a project that does not exist. */
const NO_PROJECT = "none";

/** What of the server's context an exchange needs. */
export interface ExchangeContext {
  readonly store: Store;
  readonly keyring: Keyring;
  readonly journal: Journal;
}

export interface ExchangeOptions {
  /** Whether issuers may speak plain http, or be off the internet. */
  readonly allowPrivate: boolean;
  /** The audience of tokens where an identity names none. */
  readonly publicUrl: string | undefined;
  readonly logger: Pick<Logger, "warn" | "info">;
}

/** An identity token, and who sent it. */
export interface SentToken {
  readonly token: string;
  /** An identity (`wid_…`), or the project of one: its id or its name. Undefined for any. */
  readonly audience: string | undefined;
  /** The scopes that the key is to have; undefined for those of the identity. */
  readonly scopes: readonly string[] | undefined;
  /** The request's id in the log. */
  readonly operationId: string;
  /** The client's address. */
  readonly client: string;
}

/** The API key that a token was exchanged for. */
interface Exchanged {
  readonly key: string;
  /** In seconds. */
  readonly ttl: number;
  /** None are all. */
  readonly scopes: readonly string[];
}

/** Exchanges identity tokens for API keys that soon end. */
export class TokenExchange {
  readonly #issuers: Issuers;

  constructor(
    private readonly context: ExchangeContext,
    private readonly options: ExchangeOptions,
  ) {
    this.#issuers = new Issuers(options.allowPrivate, options.logger);
  }

  /**
   * @throws TokenRefused where it matches no identity
   * @throws RequestError where it is not a token, several identities match, or its issuer does not answer
   */
  async exchange(sent: SentToken): Promise<Exchanged> {
    const { token, audience } = sent;
    const named = issuerNamedBy(token);
    if (!named)
      throw new RequestError(
        "invalid_field",
        "subject_token is not a JSON Web Token: expected an identity token",
        {
          field: "subject_token",
        },
      );
    const { issuer } = named;
    const identities =
      typeof issuer === "string" ? await identitiesOf(this.context.store.reader, issuer) : [];
    const chosen = await this.#chosenBy(audience);
    const candidates = identities.filter(
      ({ id, project }) => chosen === undefined || [id, project].includes(chosen),
    );
    if (typeof issuer !== "string" || candidates.length === 0)
      throw new TokenRefused(["iss"], audience?.startsWith("wid_") ? audience : undefined);
    const [project, ...others] = new Set(candidates.map((candidate) => candidate.project));
    const asker = { issuer, client: sent.client, project: others.length > 0 ? undefined : project };
    const payload = await verified(this.#issuers, asker, token);
    const identity = this.#match(candidates, payload);
    const made = await this.#makeKey(identity, sent);
    this.options.logger.info(
      { operation_id: sent.operationId, identity: identity.id, sub: payload.sub, key: made.id },
      "identity token exchanged",
    );
    return made;
  }

  /** Writes down that a token was refused, and why; the token itself appears nowhere. */
  async record({ lacking, identity }: TokenRefused, { operationId, client }: SentToken): Promise<void> {
    this.options.logger.warn(
      { operation_id: operationId, client, identity, lacking },
      "identity token refused",
    );
    const nobody: Author = { ownerId: "nobody", name: "nobody", operationId, client };
    await journaled(this.context, async (transaction, begunUnder) => {
      const [row] = identity === undefined ? [] : await identityById(transaction, { id: identity });
      await this.context.journal.append(transaction, begunUnder, nobody, [
        { action: "identity_token_refused", subject: identity, about: lacking, project: row?.project_id },
      ]);
    });
  }

  close(): Promise<void> {
    return this.#issuers.close();
  }

  /** The id of the identity or the project that an audience names; undefined for any. */
  async #chosenBy(audience: string | undefined): Promise<string | undefined> {
    if (audience === undefined || /^(wid|proj)_/.test(audience)) return audience;
    const names = await projectNames(this.context.store.reader);
    return [...names].find(([, name]) => name === audience)?.[0] ?? NO_PROJECT;
  }

  #match(candidates: readonly StoredIdentity[], payload: JWTPayload): StoredIdentity {
    const looked = candidates.map((identity) => ({
      identity,
      lacking: lackingFor(identity, payload, this.options.publicUrl),
    }));
    const [first, ...others] = looked.filter(({ lacking }) => lacking.length === 0);
    if (!first) {
      const [nearest] = looked.sort((one, other) => one.lacking.length - other.lacking.length);
      throw new TokenRefused(nearest?.lacking ?? [], nearest?.identity.id);
    }
    if (others.length === 0) return first.identity;
    // One project is not told of another's identities.
    if (others.some(({ identity }) => identity.project !== first.identity.project))
      throw new RequestError(
        "invalid_field",
        "Identities of several projects accept this token: name the identity or the project in audience (TUNNELPLANE_WORKLOAD_IDENTITY)",
        { field: "audience" },
      );
    const ids = [first, ...others].slice(0, MAX_NAMED).map(({ identity: { id } }) => id);
    throw new RequestError(
      "invalid_field",
      `This token matches ${others.length + 1} workload identities (${ids.join(", ")}): choose one with audience, or TUNNELPLANE_WORKLOAD_IDENTITY`,
      { field: "audience" },
    );
  }

  async #makeKey(
    identity: StoredIdentity,
    { scopes: asked, operationId, client }: SentToken,
  ): Promise<Exchanged & { id: string }> {
    const { id: identityId, version, bot_user_id: botId = "", ttl = EXCHANGED_KEY_S.usual } = identity;
    const { scopes: most = [] } = identity;
    const scopes = asked ?? most;
    const [more] = scopesBeyond(most, scopes);
    if (more !== undefined)
      throw new RequestError("invalid_field", `scope holds ${more}, which the workload identity lacks`, {
        field: "scope",
      });
    const [key, id] = [newSecret("tpk"), newId("ak")];
    await journaled(this.context, async (transaction, begunUnder) => {
      const [current] = await lockIdentity(transaction, { id: identityId });
      if (current?.version !== version)
        throw refusalForNow("unavailable", "The workload identity changed just now; try again shortly");
      const [row] = await botById(transaction, { id: botId });
      const bot: unknown = row && JSON.parse(row.document);
      if (!row || !isObject(bot) || bot.active === false) throw new TokenRefused(["bot_user_id"], identityId);
      await insertKey(transaction, {
        hash: hashSecret(key),
        id,
        identity_id: identityId,
        identity_version: version,
        owner_id: botId,
        scopes: JSON.stringify(scopes),
        expires_at: new Date(Date.now() + ttl * 1000).toISOString(),
      });
      const author: Author = { ownerId: botId, name: String(bot.name), keyId: id, operationId, client };
      await this.context.journal.append(transaction, begunUnder, author, [
        { action: "identity_token_exchanged", subject: identityId, project: row.project_id },
      ]);
    });
    return { id, key, ttl, scopes };
  }
}

const lockIdentity = statement<{ id: string }, { version: number }>((db, parameter) =>
  db.selectFrom("resource").select("version").where("id", "=", parameter("id")).forUpdate(),
);

const byIdOf = (kind: Kind) =>
  statement<{ id: string }, Pick<Database["resource"], "document" | "project_id">>((db, parameter) =>
    db
      .selectFrom("resource")
      .select(["document", "project_id"])
      .where("id", "=", parameter("id"))
      .where("kind", "=", kind),
  );

const botById = byIdOf("bot_user");
const identityById = byIdOf("workload_identity");

const insertKey = insertion("exchanged_key", [
  "hash",
  "id",
  "identity_id",
  "identity_version",
  "owner_id",
  "scopes",
  "expires_at",
]);
