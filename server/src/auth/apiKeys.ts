import { timingSafeEqual } from "node:crypto";
import type { Answers } from "@tunnelplane/sdk";
import type { Role } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { ALONE, type Siblings } from "../process";
import { hashSecret } from "../secrets";
import { type Database, type Store, statement } from "../storage";
import { isSession, RequestError } from "../util";
import { type Caller, type KeyOrigin, NO_ORIGIN } from "./caller";
import { type Choice, callerIn, type Holder } from "./callers";
import { KeyUses } from "./keyUses";
import { KnownProjects } from "./knownProjects";
import { Restrictions } from "./restrictions";
import { OF_USERS, rolesOf } from "./roles";
import { sessionByHash } from "./sessions";

/**
 * How long a looked-up key is trusted. After a deletion, other servers accept the key for up to this long.
 */
const TRUSTED_MS = 1000;

/** Limit of known keys in memory: some MB. */
const MAX_FOUND = 20_000;

/** An API key or a session, as the database had it. */
interface KnownKey {
  readonly holder: Holder;
  /** Why its owner is refused, where it is. */
  readonly refusal: string | undefined;
  /** What it came from, where that is over. */
  readonly endedWith: string | undefined;
  /** Its callers so far, by the project that they chose. */
  readonly callers: Map<string, Caller>;
}

/**
 * Finds the owner of an API key and its roles. It queries the database for a key at most once a second. So
 * every server refuses a deleted key within a second, and knows a changed role; the server that made the
 * change (it calls `forget`) at once.
 *
 * Keys are looked up by their SHA-256. The time of a look-up might reveal how much of a hash matches, but
 * nobody can choose a key by its hash, so this reveals nothing about keys. The found hash is compared again
 * in constant time, so security does not depend on how a database compares texts.
 */
export class ApiKeys {
  /** Keys looked up since `#since`. They are all forgotten together, so no entry is older than that. */
  #known = new Map<string, KnownKey>();
  /** Keys found valid before: these may be looked up again even while others guess. */
  readonly #found = new Set<string>();
  /** Running queries; requests with the same key share one. */
  #lookups = new Map<string, Promise<KnownKey | undefined>>();
  /** Keys whose look-up holds a slot: forgotten meanwhile, they are looked up again without another. */
  readonly #placed = new Set<string>();
  #since = 0;
  readonly #projects: KnownProjects;
  readonly restrictions: Restrictions;

  /**
   * @param uses gets to know which keys are used
   * @param siblings the other processes, which forget callers together with this one
   */
  constructor(
    private readonly store: Store,
    private readonly uses = new KeyUses(store),
    private readonly siblings: Siblings = ALONE,
  ) {
    this.#projects = new KnownProjects(store);
    this.restrictions = new Restrictions(store);
    siblings.on("forget callers", () => this.#forget());
  }

  /**
   * Refuses expired keys, keys of bots and users that are not active, and a project in which no role holds;
   * undefined for an unknown key.
   * @param begin called before the look-up of a key that is not known yet; may refuse, and returns a function
   *   to call afterwards
   */
  async callerOf(
    apiKey: string,
    choice: Choice = { named: undefined },
    begin: () => () => void = () => () => undefined,
  ): Promise<Caller | undefined> {
    if (performance.now() - this.#since >= TRUSTED_MS) this.#forget();
    const hash = hashSecret(apiKey);
    const known = choice.isAnew ? undefined : this.#known.get(hash);
    const running = choice.isAnew ? undefined : this.#lookups.get(hash);
    const key =
      (known && isOfNow(known) ? known : undefined) ?? (await (running ?? this.#lookUp(hash, begin)));
    if (!key || key.holder.inBrowser !== (choice.isCookie ?? false)) return undefined;
    const { expiresAt, keyId } = key.holder;
    if (expiresAt && Date.parse(expiresAt) <= Date.now())
      throw new RequestError(
        "expired_key",
        isSession(keyId)
          ? `This session ended at ${expiresAt}; sign in again`
          : `This API key expired at ${expiresAt}; make a new one with a key that is still valid`,
      );
    if (key.endedWith !== undefined)
      throw new RequestError(
        "expired_key",
        `This API key ended with the ${key.endedWith} that it was made with; make a new one`,
      );
    if (key.refusal !== undefined) throw new RequestError("forbidden", key.refusal);
    const chosen = `${choice.isOfAccount ? "account" : "project"} ${choice.named ?? ""}`;
    const before = key.callers.get(chosen);
    if (before) return before;
    const caller = callerIn(key.holder, await this.#projects.listFor(choice.named), choice);
    key.callers.set(chosen, caller);
    return caller;
  }

  /**
   * Call this after a change of keys, bots, projects or memberships, before answering it. Resolves when all
   * processes of this server have forgotten them.
   */
  async forget(): Promise<void> {
    this.#forget();
    await this.siblings.ask("forget callers");
  }

  #forget(): void {
    this.#projects.forget();
    this.restrictions.forget();
    this.#known = new Map();
    this.#lookups = new Map();
    this.#since = performance.now();
  }

  #lookUp(hash: string, begin: () => () => void): Promise<KnownKey | undefined> {
    const end = this.#found.has(hash) || this.#placed.has(hash) ? undefined : begin();
    if (end) this.#placed.add(hash);
    const lookups = this.#lookups; // `forget` replaces the map, so that requests after a change do not share this query.
    const found = this.#find(hash).finally(() => {
      lookups.delete(hash);
      if (!end) return;
      this.#placed.delete(hash);
      end();
    });
    lookups.set(hash, found);
    return found;
  }

  async #find(hash: string): Promise<KnownKey | undefined> {
    const known = this.#known; // `forget` replaces the map, so that a result from before a change is not kept.
    const { reader } = this.store;
    const made = await madeByHash(reader, hash);
    const row = made ?? (await exchangedByHash(reader, hash)) ?? (await keyOfSession(reader, hash));
    if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return undefined;
    // Partial: fields were added after some of these were stored.
    const {
      expires_at: expiresAt = null,
      project_id: keyProject = null,
      scopes = [],
    }: Partial<Answers["api_key"]> = JSON.parse(row.key);
    const bot: Partial<Answers["bot_user"]> | undefined = row.bot ? JSON.parse(row.bot) : undefined;
    const { keyId, ownerId } = row;
    const own = {
      role: row.role ?? bot?.role ?? "member",
      project: row.botProject ?? OF_USERS,
    };
    const roles = await rolesOf(reader, { id: ownerId, groups: JSON.parse(row.groups ?? "[]"), own });
    const holder = {
      keyId,
      origin: row.origin,
      inBrowser: row.isCookie ?? false,
      ownerId,
      name: row.name ?? bot?.name ?? "",
      roles,
      keyProject,
      scopes,
      expiresAt,
    };
    const refusal =
      bot?.active === false
        ? "The bot that owns this API key is not active; an admin can activate it"
        : row.active === 0
          ? "This user is not active; an admin can activate it"
          : undefined;
    const key = { holder, refusal, endedWith: row.endedWith, callers: new Map() };
    known.set(hash, key);
    const isOver = expiresAt !== null && Date.parse(expiresAt) <= Date.now();
    if (made && !isOver && refusal === undefined) this.uses.note(keyId);
    if (this.#found.size >= MAX_FOUND) this.#found.clear();
    this.#found.add(hash);
    return key;
  }
}

/** Whether no membership ended since a key was looked up, and no clock went back behind such an end. */
const isOfNow = ({ holder: { roles } }: KnownKey): boolean => {
  const now = Date.now();
  return roles.from <= now && now < roles.until;
};

interface KeyRow {
  readonly hash: string;
  readonly keyId: string;
  readonly ownerId: string;
  /** The key's document. */
  readonly key: string;
  readonly role: Role | "none" | null;
  readonly name: string | null;
  /** Whether the user that owns it is; null for a bot. */
  readonly active: number | null;
  /** The groups of that user, as a JSON list. */
  readonly groups: string | null;
  /** The document of the bot that owns it. */
  readonly bot: string | null;
  readonly botProject: string | null;
  readonly isCookie?: boolean;
  readonly origin: KeyOrigin;
  /** What it was made with, where that is over. */
  readonly endedWith?: string;
}

/** A key that was made as an object. */
async function madeByHash(db: Kysely<Database>, hash: string): Promise<KeyRow | undefined> {
  const [row] = await keyByHash(db, { hash });
  if (!row) return undefined;
  const { session_id, identity_id, identity_version, session, identity, ...others } = row;
  const isOver = (origin: string | null, found: string | null) => origin !== null && found === null;
  return {
    ...others,
    origin: { session_id, identity_id, identity_version },
    ...(isOver(session_id, session) && { endedWith: "session" }),
    ...(isOver(identity_id, identity) && { endedWith: "workload identity" }),
  };
}

const keyByHash = statement<
  { hash: string },
  Omit<KeyRow, "origin" | "endedWith"> &
    KeyOrigin & { readonly session: string | null; readonly identity: string | null }
>((db, parameter) =>
  db
    .selectFrom("one_time_secret")
    .innerJoin("resource as key", "key.id", "one_time_secret.resource_id")
    .leftJoin("principal as user", "user.id", "key.owner_id")
    .leftJoin("resource as bot", "bot.id", "key.owner_id")
    .select(["one_time_secret.hash", "key.id as keyId", "key.owner_id as ownerId", "key.document as key"])
    .select(["user.role as role", "user.name as name", "user.active as active", "user.groups as groups"])
    .select(["bot.document as bot", "bot.project_id as botProject"])
    .leftJoin("session", "session.id", "one_time_secret.session_id")
    .leftJoin("resource as identity", (join) =>
      join
        .onRef("identity.id", "=", "one_time_secret.identity_id")
        .onRef("identity.version", "=", "one_time_secret.identity_version"),
    )
    .select(["one_time_secret.session_id", "one_time_secret.identity_id", "one_time_secret.identity_version"])
    .select(["session.id as session", "identity.id as identity"])
    .where("one_time_secret.hash", "=", parameter("hash"))
    .where("key.kind", "=", "api_key"),
);

/** A key that an identity token was exchanged for: known while its identity is as it was then. */
async function exchangedByHash(db: Kysely<Database>, hash: string): Promise<KeyRow | undefined> {
  const [row] = await exchangedKey(db, { hash });
  if (!row) return undefined;
  const { expiresAt, scopes, identity_id, identity_version, ...others } = row;
  const key = JSON.stringify({ expires_at: expiresAt, scopes: JSON.parse(scopes) });
  const origin = { ...NO_ORIGIN, identity_id, identity_version };
  return { ...others, origin, key, role: null, name: null, active: null, groups: null };
}

/** The session of a user: a key of the command line, or the value of a browser's cookie. */
async function keyOfSession(db: Kysely<Database>, hash: string): Promise<KeyRow | undefined> {
  const [row] = await sessionByHash(db, { hash });
  if (!row) return undefined;
  const { expiresAt, kind, ...others } = row;
  const key = JSON.stringify({ expires_at: expiresAt });
  const origin = { ...NO_ORIGIN, session_id: row.keyId };
  return { ...others, origin, key, bot: null, botProject: null, isCookie: kind === "console" };
}

const exchangedKey = statement<
  { hash: string },
  Pick<KeyRow, "hash" | "keyId" | "ownerId" | "bot" | "botProject"> & {
    readonly expiresAt: string;
    readonly scopes: string;
    readonly identity_id: string;
    readonly identity_version: number;
  }
>((db, parameter) =>
  db
    .selectFrom("exchanged_key as key")
    .innerJoin("resource as identity", (join) =>
      join
        .onRef("identity.id", "=", "key.identity_id")
        .onRef("identity.version", "=", "key.identity_version"),
    )
    .innerJoin("resource as bot", "bot.id", "key.owner_id")
    .select(["key.hash as hash", "key.id as keyId", "key.owner_id as ownerId"])
    .select(["key.expires_at as expiresAt", "key.scopes as scopes"])
    .select(["key.identity_id", "key.identity_version"])
    .select(["bot.document as bot", "bot.project_id as botProject"])
    .where("key.hash", "=", parameter("hash")),
);
