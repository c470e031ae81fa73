import { createHash, createPublicKey, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import type { Certificate } from "../support/api/fixtures";
import { StandInServer } from "../support/standIn";

type Client = { readonly id: string; readonly secret: string; readonly redirectUri: string };
const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** Stands in for an identity provider: the code flow with PKCE, where everybody is signed in at once. */
export class StandInIssuer {
  readonly #codes = new Map<string, string>();
  /** The key that signs ID tokens; one that is not in its key set forges them. */
  key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  readonly #keys = [createPublicKey(this.key).export({ format: "jwk" })];
  #server!: StandInServer;
  client: Client = { id: "site", secret: "of the site", redirectUri: "" };
  name: string | undefined;
  /** Claims of the users who come, besides those that every ID token has. */
  claims: object = {};

  static async start(own: Certificate): Promise<StandInIssuer> {
    const one = new StandInIssuer();
    one.#server = await StandInServer.start((asked, answer) => void one.#answer(asked, answer), own);
    return one;
  }

  get url(): string {
    return this.#server.url;
  }

  stop(): void {
    this.#server.stop();
  }

  async #answer(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(asked.url ?? "/", this.url);
    if (pathname === "/.well-known/openid-configuration")
      answer.end(
        JSON.stringify({
          ...{ issuer: this.name ?? this.url, authorization_endpoint: `${this.url}/authorize` },
          ...{ token_endpoint: `${this.url}/token`, jwks_uri: `${this.url}/jwks` },
        }),
      );
    else if (pathname === "/jwks") answer.end(JSON.stringify({ keys: this.#keys }));
    else if (pathname === "/authorize") this.#authorize(searchParams, answer);
    else if (pathname === "/token") this.#exchange(new URLSearchParams(await text(asked)), answer);
    else answer.writeHead(404).end();
  }

  #authorize(query: URLSearchParams, answer: ServerResponse): void {
    const { id, redirectUri } = this.client;
    const expected = {
      ...{ response_type: "code", client_id: id, redirect_uri: redirectUri },
      code_challenge_method: "S256",
    };
    const wrong = Object.entries(expected).find(([name, value]) => query.get(name) !== value)?.[0];
    if (wrong || !query.get("scope")?.split(" ").includes("openid"))
      return void answer.writeHead(400).end(`${wrong ?? "scope"} is wrong`);
    const code = randomUUID();
    this.#codes.set(code, query.get("code_challenge") ?? "");
    const back = new URL(redirectUri);
    back.search = new URLSearchParams({ code, state: query.get("state") ?? "" }).toString();
    answer.writeHead(302, { location: back.href }).end();
  }

  #exchange(body: URLSearchParams, answer: ServerResponse): void {
    const { id, secret, redirectUri } = this.client;
    const [code, verifier] = [body.get("code") ?? "", body.get("code_verifier") ?? ""];
    const challenge = this.#codes.get(code);
    this.#codes.delete(code);
    const isProved = createHash("sha256").update(verifier).digest("base64url") === challenge;
    const isClient =
      body.get("client_id") === id &&
      body.get("client_secret") === secret &&
      body.get("redirect_uri") === redirectUri;
    if (!isProved || !isClient) return void answer.writeHead(400).end('{"error":"invalid_grant"}');
    const now = Math.floor(Date.now() / 1000);
    const claims = `${encode({ alg: "RS256" })}.${encode({ iss: this.url, aud: id, sub: "somebody", iat: now, exp: now + 3600, ...this.claims })}`;
    const id_token = `${claims}.${sign("sha256", Buffer.from(claims), this.key).toString("base64url")}`;
    answer.setHeader("content-type", "application/json");
    answer.end(
      JSON.stringify({ access_token: randomUUID(), id_token, token_type: "Bearer", expires_in: 3600 }),
    );
  }
}
