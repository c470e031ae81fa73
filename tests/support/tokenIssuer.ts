import { createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import type { Certificate } from "./api/fixtures";
import type { Rest, RestAnswer } from "./rest";
import { StandInServer } from "./standIn";

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");
/** Seconds since 1970, some from now. */
export const secondsFromNow = (seconds: number): number => Math.floor(Date.now() / 1000) + seconds;
export const AUDIENCE = "https://tunnels.example.com";
/** The subject of tokens, unless a test names another. */
export const SUBJECT = "repo:acme/infra:ref:refs/heads/main";
export const EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const JWT_TYPE = "urn:ietf:params:oauth:token-type:jwt";

const newKeys = (suffix: string): Record<string, KeyObject> => ({
  [`rsa${suffix}`]: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
  [`ed${suffix}`]: generateKeyPairSync("ed25519").privateKey,
  [`ec${suffix}`]: generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey,
});

/** Stands in for an issuer such as GitHub Actions: a discovery document, real keys, any claims. */
export class StandInTokenIssuer {
  #keys = newKeys("");
  /** After the names of its keys. */
  #generation = "";
  #server!: StandInServer;
  readonly asked: string[] = [];
  /** Answers in the place of a document, by its path. Undefined answers nothing at all. */
  readonly instead = new Map<string, string | undefined>();
  /** What its discovery document calls it. Default: its address. */
  calledItself: string | undefined;

  /** @param own certificate for HTTPS; if absent, it speaks HTTP */
  static async start(own?: Certificate): Promise<StandInTokenIssuer> {
    const one = new StandInTokenIssuer();
    one.#server = await StandInServer.start((request, response) => {
      const path = request.url ?? "";
      one.asked.push(path);
      response.setHeader("content-type", "application/json");
      if (one.instead.has(path)) {
        const text = one.instead.get(path);
        if (text !== undefined) response.end(text);
        return;
      }
      const document = one.#documents()[path];
      response.statusCode = document ? 200 : 404;
      response.end(JSON.stringify(document ?? {}));
    }, own);
    return one;
  }

  get url(): string {
    return this.#server.url;
  }

  /** The public part of its RSA key. */
  get publicKey(): KeyObject {
    return this.#publicOf(`rsa${this.#generation}`);
  }

  /** Signs with new keys from now on, and publishes no others. */
  exchangeKeys(): void {
    this.#generation += "-new";
    this.#keys = newKeys(this.#generation);
  }

  stop(): void {
    this.#server.stop();
  }

  claims = (more: object = {}): Record<string, unknown> => ({
    iss: this.url,
    aud: AUDIENCE,
    sub: SUBJECT,
    exp: secondsFromNow(300),
    ...more,
  });

  /** A token; a claim or part of the header that is undefined is left out. */
  token(claims: object = {}, header: object = {}, key = this.#keys[`rsa${this.#generation}`]): string {
    const head: Readonly<Record<string, unknown>> = {
      ...{ alg: "RS256", typ: "JWT", kid: `rsa${this.#generation}` },
      ...header,
    };
    const text = `${encode(head)}.${encode(this.claims(claims))}`;
    const isEdDsa = key?.asymmetricKeyType === "ed25519";
    const signer = { key: key as KeyObject, dsaEncoding: "ieee-p1363" as const };
    const hash = isEdDsa ? null : head.alg === "RS512" ? "sha512" : "sha256";
    return `${text}.${sign(hash, Buffer.from(text), signer).toString("base64url")}`;
  }

  /** A token that is signed with its Ed25519 key. */
  edToken = (header: object = {}, claims: object = {}): string =>
    this.token(claims, { alg: "EdDSA", kid: "ed", ...header }, this.#keys.ed);

  /** A token that is signed with its key on the curve P-256. */
  ecToken = (header: object = {}): string =>
    this.token({}, { alg: "ES256", kid: "ec", ...header }, this.#keys.ec);

  #publicOf = (name: string) => createPublicKey(this.#keys[name] as KeyObject);

  #documents = (): Record<string, object> => ({
    "/.well-known/openid-configuration": {
      issuer: this.calledItself ?? this.url,
      jwks_uri: `${this.url}/jwks`,
    },
    "/jwks": {
      keys: Object.keys(this.#keys).map((kid) => ({ ...this.#publicOf(kid).export({ format: "jwk" }), kid })),
    },
  });
}

/** Exchanges a token (RFC 8693) with parameters besides, where undefined leaves one out, and headers. */
export async function exchange(
  server: string,
  token: string | undefined,
  more: Readonly<Record<string, string | undefined>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<RestAnswer> {
  const form = { grant_type: EXCHANGE, subject_token: token, subject_token_type: JWT_TYPE, ...more };
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(form)) if (value !== undefined) given.set(name, value);
  return sendForm(server, given.toString(), headers);
}

export async function sendForm(
  server: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<RestAnswer> {
  const response = await fetch(`${server}/token`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
}

/** Lets an issuer's tokens in, as a new bot. @param more fields of the identity besides */
export async function admittedIdentity(
  admin: Rest,
  issuer: Pick<StandInTokenIssuer, "url">,
  more: object = {},
): Promise<RestAnswer["body"]> {
  const bot = await admin.post("/bot_users", { name: "pipeline" });
  const answer = await admin.post("/workload_identities", {
    ...{ issuer: issuer.url, audiences: [AUDIENCE], claims: { sub: SUBJECT } },
    ...{ bot_user_id: bot.body.id, ...more },
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}
