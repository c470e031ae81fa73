import { isObject, messageOf } from "@tunnelplane/sdk/contract";
import { createLocalJWKSet, type JWK } from "jose";
import type { Logger } from "pino";
import { Budget, type GiveBack, type Holder } from "../../util";
import { DocumentReader, NoDocumentError } from "../documentReader";
import { IssuerAway } from "./refused";

/** How long keys are taken without asking again, in milliseconds. */
const FRESH_MS = 5 * 60_000;
/** How long they are taken while their issuer does not answer. */
const STALE_MS = 60 * 60_000;
/** An issuer that was asked is not asked again for this long, however many tokens come with unknown keys. */
const AGAIN_MS = 10_000;
/** Requests that wait for one issuer: a quarter of the exchanges that an address may have at once. */
const MAX_WAITING = 4;
/** The limit for one address, so that others find room although it names slow issuers. */
const MAX_OF_ADDRESS = 2;
/** Requests that wait for issuers of one project: a quarter of the exchanges at once. */
const MAX_OF_PROJECT = 16;
/** Of one issuer. The largest public key sets hold about ten. */
const MAX_KEYS = 100;
/**
 * Of issuers whose keys are kept: as many as there may be identities. While others are there, those of one
 * project leave room for them.
 */
const MAX_ISSUERS = 1000;
/** Of an RSA modulus of 8,192 bits in base64url. Checking a signature with a larger one holds up others. */
const MAX_MODULUS_LENGTH = 1366;
/** Exponents in use have up to 4 bytes (65537 has 3). */
const MAX_EXPONENT_LENGTH = 6;

/** An issuer's public keys, as they were read at one time. */
export interface IssuerKeys {
  readonly find: ReturnType<typeof createLocalJWKSet>;
  /** When, by the clock of {@link performance}. */
  readonly readAt: number;
}

interface Entry {
  readonly project: string;
  readonly giveBack: GiveBack;
  keys?: IssuerKeys;
  askedAt: number;
  asked?: Promise<IssuerKeys>;
}

/** For whom an issuer is asked. */
export interface Asker {
  readonly issuer: string;
  /** The address that a token came from. */
  readonly client: string;
  /** The id of the project that is the only one to trust the issuer; undefined where several do. */
  readonly project: string | undefined;
}

/**
 * The keys of issuers, from where their discovery documents say (OpenID Connect Discovery 1.0, RFC 8414, RFC
 * 7517). Requests share one question; an issuer that is slow or away makes a few of them wait, and the rest
 * are refused for now.
 */
export class Issuers {
  /** By issuer, the least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #room = new Budget({ work: "issuers", size: MAX_ISSUERS });
  /** How many wait: for an issuer, for those of a project, and of an address for an issuer. */
  readonly #waiting = new Map<string, number>();
  readonly #reader: DocumentReader;

  /** @param allowPrivate whether issuers may speak plain http, or be off the internet */
  constructor(
    allowPrivate: boolean,
    private readonly logger: Pick<Logger, "warn">,
  ) {
    this.#reader = new DocumentReader(allowPrivate);
  }

  /** @throws RequestError where they cannot be had now */
  async keysOf(asker: Asker): Promise<IssuerKeys> {
    const { keys } = this.#entryOf(asker);
    if (keys && performance.now() - keys.readAt < FRESH_MS) return keys;
    const again = await this.#askAgain(asker).catch(() => undefined);
    if (again) return again;
    if (keys && performance.now() - keys.readAt < STALE_MS) return keys;
    throw new IssuerAway();
  }

  /**
   * Keys that are newer than these, for a token with a key that is not among them; undefined where the issuer
   * was asked just now.
   */
  async newerThan(asker: Asker, keys: IssuerKeys): Promise<IssuerKeys | undefined> {
    const entry = this.#entryOf(asker);
    if (entry.keys && entry.keys.readAt > keys.readAt) return entry.keys;
    return this.#askAgain(asker).catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#reader.close();
  }

  #entryOf({ issuer, project = "" }: Asker): Entry {
    const known = this.#entries.get(issuer);
    const entry = known ?? {
      ...{ project, giveBack: this.#roomFor({ project, owner: project }) },
      askedAt: Number.NEGATIVE_INFINITY,
    };
    this.#entries.delete(issuer);
    this.#entries.set(issuer, entry);
    return entry;
  }

  /** Where a project has no room left, its oldest issuer goes; where nobody has, that of the largest. */
  #roomFor(holder: Holder): GiveBack {
    for (;;) {
      const room = this.#room.take(holder);
      if (typeof room === "function") return room;
      const held = (project: string) => this.#room.heldByProject(project);
      const most = Math.max(...[...this.#entries.values()].map(({ project }) => held(project)));
      for (const [issuer, { project, giveBack }] of this.#entries) {
        if (room === "all" ? held(project) < most : project !== holder.project) continue;
        giveBack();
        this.#entries.delete(issuer);
        break;
      }
    }
  }

  /** Undefined where the issuer was asked just now. */
  async #askAgain(asker: Asker): Promise<IssuerKeys | undefined> {
    const { issuer, client, project } = asker;
    const entry = this.#entryOf(asker);
    if (!entry.asked && performance.now() - entry.askedAt < AGAIN_MS) return undefined;
    const bounds: [whose: string, most: number][] = [
      [`issuer ${issuer}`, MAX_WAITING],
      [`address ${client} ${issuer}`, MAX_OF_ADDRESS],
      ...(project === undefined ? [] : ([[`project ${project}`, MAX_OF_PROJECT]] as [string, number][])),
    ];
    if (bounds.some(([whose, most]) => (this.#waiting.get(whose) ?? 0) >= most)) throw new IssuerAway();
    for (const [whose] of bounds) this.#waiting.set(whose, (this.#waiting.get(whose) ?? 0) + 1);
    try {
      entry.asked ??= this.#ask(issuer, entry);
      return await entry.asked;
    } finally {
      for (const [whose] of bounds) {
        const left = (this.#waiting.get(whose) ?? 1) - 1;
        if (left > 0) this.#waiting.set(whose, left);
        else this.#waiting.delete(whose);
      }
    }
  }

  async #ask(issuer: string, entry: Entry): Promise<IssuerKeys> {
    entry.askedAt = performance.now();
    try {
      const uri = keySetIn(await this.#discover(issuer), issuer);
      const find = createLocalJWKSet({ keys: usableKeys(await this.#reader.read(uri)) });
      entry.keys = { find, readAt: performance.now() };
      return entry.keys;
    } catch (error) {
      this.logger.warn(
        { issuer, reason: messageOf(error) },
        "the keys of an issuer of identity tokens could not be read; its tokens are refused until they can. Is it reachable from here, and is its certificate trusted (NODE_EXTRA_CA_CERTS)?",
      );
      throw new IssuerAway();
    } finally {
      entry.asked = undefined;
    }
  }

  /** OpenID Connect appends the well-known path to the issuer; RFC 8414 puts it before the issuer's own. */
  async #discover(issuer: string): Promise<unknown> {
    try {
      return await this.#reader.read(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`);
    } catch (error) {
      if (!(error instanceof NoDocumentError)) throw error;
      const { origin, pathname } = new URL(issuer);
      return this.#reader.read(
        `${origin}/.well-known/oauth-authorization-server${pathname.replace(/\/$/, "")}`,
      );
    }
  }
}

/** Where the keys are. A document with another name is another issuer's (RFC 8414 section 3.3). */
function keySetIn(document: unknown, issuer: string): string {
  const { issuer: name, jwks_uri: uri }: { issuer?: unknown; jwks_uri?: unknown } = isObject(document)
    ? document
    : {};
  if (name !== issuer)
    throw new Error(`its discovery document calls it ${JSON.stringify(name)?.slice(0, 200)}`);
  if (typeof uri !== "string" || !URL.canParse(uri))
    throw new Error("its discovery document has no jwks_uri that is a URL");
  return uri;
}

/** The public parts of keys that may check signatures. Other fields, such as `x5u`, are left out. */
function usableKeys(document: unknown): JWK[] {
  const keys = isObject(document) ? document.keys : undefined;
  if (!Array.isArray(keys)) throw new Error("its key set (JWKS) has no list of keys");
  if (keys.length > MAX_KEYS)
    throw new Error(`its key set has ${keys.length} keys; at most ${MAX_KEYS} are read`);
  return keys.filter(isObject).filter(isUsable).map(publicPart);
}

const isUsable = ({ kty, use, n, e }: Readonly<Record<string, unknown>>): boolean =>
  (kty === "EC" ||
    kty === "OKP" ||
    (kty === "RSA" && isShort(n, MAX_MODULUS_LENGTH) && isShort(e, MAX_EXPONENT_LENGTH))) &&
  (use === undefined || use === "sig");

const isShort = (text: unknown, most: number): boolean => typeof text === "string" && text.length <= most;

const PUBLIC = ["kty", "kid", "alg", "use", "key_ops", "crv", "x", "y", "n", "e"];
const publicPart = (key: Readonly<Record<string, unknown>>): JWK =>
  Object.fromEntries(PUBLIC.flatMap((name) => (name in key ? [[name, key[name]]] : []))) as JWK; // parsed JSON
