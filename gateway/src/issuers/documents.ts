import { join } from "node:path";
import { isObject } from "@tunnelplane/sdk/contract";
import { issuersOf, keySetsOf } from "../envoy/issuers";
import type { Issuer, Objects } from "../envoy/model";
import { type Answered, ask } from "./ask";
import { type Fetching, Published } from "./published";

/** The discovery documents and key sets of the issuers that routes name. */
export class IssuerDocuments {
  readonly #discovery: Published<Issuer>;
  readonly #keySets: Published<string> | undefined;

  /** @param checksKeySets whether to fetch key sets too: without one, Envoy refuses every token silently */
  constructor(
    folder: string,
    checksKeySets: boolean,
    private readonly fetching: Fetching,
  ) {
    this.#discovery = new Published({
      ...fetching,
      file: join(folder, "issuers.json"),
      what: "the discovery document of the issuer",
      addressOf: (issuer) => `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
      read: readIssuer,
      isWhole: ({ jwksUri, authMethods }) => jwksUri !== undefined && authMethods !== undefined,
    });
    this.#keySets = checksKeySets
      ? new Published({
          ...fetching,
          file: join(folder, "jwks.json"),
          what: "the key set",
          addressOf: (url) => url,
          read: readKeySet,
        })
      : undefined;
  }

  /** By the issuer's URL, as edges declare it. */
  get issuers(): ReadonlyMap<string, Issuer> {
    return this.#discovery.known;
  }

  /** By their URLs, the texts of key sets that were fetched once; undefined where none are fetched. */
  get keySets(): ReadonlyMap<string, string> | undefined {
    return this.#keySets?.known;
  }

  /** Why documents could not be read, by the URLs of their issuers and key sets. */
  get unread(): ReadonlyMap<string, string> {
    return new Map([...this.#discovery.unread, ...(this.#keySets?.unread ?? [])]);
  }

  /** Fetches a key set again, because a token names a key that is not in it. */
  askAgain(keySet: string): void {
    this.#keySets?.askAgain(keySet);
  }

  /** The same, where an issuer gave such a token. @param keySet its URL */
  sawToken(keySet: string | null | undefined, token: string): void {
    const known = typeof keySet === "string" ? this.#keySets?.known.get(keySet) : undefined;
    if (typeof keySet !== "string" || known === undefined) return;
    const kid = kidOf(token);
    if (kid !== undefined && !known.includes(JSON.stringify(kid))) this.askAgain(keySet);
  }

  /** Sends a form to an issuer. */
  post(url: string, body: string, headers: Readonly<Record<string, string>>): Promise<Answered> {
    const { trust, upstreams } = this.fetching;
    return ask(url, trust, upstreams, { body, headers });
  }

  /** Whether a document was fetched since the last call of `want`. */
  get hasNews(): boolean {
    return this.#discovery.hasNews || this.#keySets?.hasNews === true;
  }

  /** Fetches the documents that these objects name, and waits a little for new ones. */
  async want(objects: Objects): Promise<void> {
    await this.#discovery.want(issuersOf(objects));
    await this.#keySets?.want(keySetsOf(objects, this.issuers));
  }
}

function readIssuer(answer: unknown, issuer: string): Issuer {
  const document = isObject(answer) ? answer : {};
  const authorizationEndpoint = String(document.authorization_endpoint);
  const tokenEndpoint = String(document.token_endpoint);
  if (document.issuer !== issuer) throw new Error(misnamed(document.issuer, issuer));
  for (const url of [authorizationEndpoint, tokenEndpoint])
    if (!url.startsWith("https://") || !URL.canParse(url)) throw new Error("its endpoints are no https URLs");
  const { jwks_uri: keys, token_endpoint_auth_methods_supported: methods } = document;
  const jwksUri = typeof keys === "string" && keys.startsWith("https://") && URL.canParse(keys) ? keys : null;
  const authMethods = Array.isArray(methods)
    ? methods.filter((one) => typeof one === "string").slice(0, MAX_METHODS)
    : null;
  return { authorizationEndpoint, tokenEndpoint, jwksUri, authMethods };
}

const MAX_METHODS = 20;

function misnamed(name: unknown, issuer: string): string {
  const text = JSON.stringify(name)?.slice(0, 300);
  const isSlash = typeof name === "string" && name.replace(/\/$/, "") === issuer.replace(/\/$/, "");
  return isSlash
    ? `it calls itself ${text}, which differs by a slash at its end: declare it as it calls itself`
    : `it calls itself ${text}`;
}

function readKeySet(answer: unknown): string {
  if (isObject(answer) && Array.isArray(answer.keys)) return JSON.stringify(answer);
  throw new Error("it is not a key set (JWKS)");
}

function kidOf(token: string): unknown {
  try {
    const header: unknown = JSON.parse(Buffer.from(token.split(".")[0] ?? "", "base64url").toString());
    return isObject(header) ? header.kid : undefined;
  } catch {
    return undefined;
  }
}
