import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from "node:crypto";
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
  key!: KeyObject;
  keys: object[] = [];
  kid: string | undefined;
  #server!: StandInServer;
  client: Client = { id: "site", secret: "of the site", redirectUri: "" };
  name: string | undefined;
  /** How clients say who they are; if undefined, its document names no way, which stands for Basic. */
  methods: readonly string[] | undefined;
  /** The ways in which clients came so far. */
  readonly came: string[] = [];
  /** When its key set was fetched, in milliseconds. */
  readonly keysFetched: number[] = [];
  /** Fields of its document, and of its tokens' answers, in place of its own; undefined leaves one out. */
  document: object = {};
  tokenPath = "/token";
  tokens: object = {};
  /** Claims of the users who come, besides those that every ID token has. */
  claims: object = {};

  static async start(
    own: Certificate,
    key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
  ): Promise<StandInIssuer> {
    const one = new StandInIssuer();
    one.key = key;
    one.keys = [createPublicKey(key).export({ format: "jwk" })];
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
    if (pathname === "/.well-known/openid-configuration") {
      answer.setHeader("cache-control", "public, max-age=1");
      answer.end(
        JSON.stringify({
          ...{ issuer: this.name ?? this.url, authorization_endpoint: `${this.url}/authorize` },
          ...{ token_endpoint: `${this.url}${this.tokenPath}`, jwks_uri: `${this.url}/jwks` },
          token_endpoint_auth_methods_supported: this.methods,
          ...this.document,
        }),
      );
    } else if (pathname === "/jwks" && this.keysFetched.push(performance.now()))
      answer.end(JSON.stringify({ keys: this.keys }));
    else if (pathname === "/authorize") this.#authorize(searchParams, answer);
    else if (pathname === this.tokenPath)
      this.#exchange(new URLSearchParams(await text(asked)), asked.headers.authorization, answer);
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

  #exchange(body: URLSearchParams, basic: string | undefined, answer: ServerResponse): void {
    const { id, secret, redirectUri } = this.client;
    const by = basic === undefined ? "client_secret_post" : "client_secret_basic";
    this.came.push(by);
    if (!(this.methods ?? ["client_secret_basic"]).includes(by))
      return void answer.writeHead(401).end('{"error":"invalid_client"}');
    const [code, verifier] = [body.get("code") ?? "", body.get("code_verifier") ?? ""];
    const challenge = this.#codes.get(code);
    this.#codes.delete(code);
    const isProved = createHash("sha256").update(verifier).digest("base64url") === challenge;
    const sent = basic
      ? Buffer.from(basic.replace(/^Basic /, ""), "base64").toString()
      : `${body.get("client_id")}:${body.get("client_secret")}`;
    const isClient =
      [`${id}:${secret}`, new URLSearchParams([[id, secret]]).toString().replace("=", ":")].includes(sent) &&
      body.get("redirect_uri") === redirectUri;
    if (!isProved || !isClient) return void answer.writeHead(400).end('{"error":"invalid_grant"}');
    const id_token = this.idToken();
    answer.setHeader("content-type", "application/json");
    answer.end(
      JSON.stringify({
        ...{ access_token: randomUUID(), id_token, token_type: "Bearer", expires_in: 3600 },
        ...this.tokens,
      }),
    );
  }

  idToken(): string {
    const now = Math.floor(Date.now() / 1000);
    const always = { iss: this.url, aud: this.client.id, sub: "somebody", iat: now, exp: now + 3600 };
    const header = encode({ alg: "RS256", ...(this.kid && { kid: this.kid }) });
    const text = `${header}.${encode({ ...always, ...this.claims })}`;
    return `${text}.${sign("sha256", Buffer.from(text), this.key).toString("base64url")}`;
  }

  /** Signs with another key from now on, and publishes that alone. */
  rotate(kid: string): void {
    this.kid = kid;
    this.key = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    this.keys = [{ ...createPublicKey(this.key).export({ format: "jwk" }), kid }];
  }
}
