import { join } from "node:path";
import { isObject } from "@tunnelplane/sdk/contract";
import { issuersOf, keySetsOf } from "../envoy/issuers";
import type { Issuer, Objects } from "../envoy/model";
import { type Fetching, Published } from "./published";

/** The discovery documents and key sets of the issuers that routes name. */
export class IssuerDocuments {
  readonly #discovery: Published<Issuer>;
  readonly #keySets: Published<true> | undefined;

  /** @param checksKeySets whether to fetch key sets too: without one, Envoy refuses every token silently */
  constructor(folder: string, checksKeySets: boolean, fetching: Fetching) {
    this.#discovery = new Published({
      ...fetching,
      file: join(folder, "issuers.json"),
      what: "the discovery document of the issuer",
      addressOf: (issuer) => `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`,
      read: readIssuer,
      isWhole: ({ jwksUri }) => jwksUri !== undefined,
    });
    this.#keySets = checksKeySets
      ? new Published({
          ...fetching,
          file: join(folder, "keySets.json"),
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

  /** By their URLs, the key sets that were fetched once; undefined where none are fetched. */
  get keySets(): ReadonlyMap<string, true> | undefined {
    return this.#keySets?.known;
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
  if (document.issuer !== issuer) throw new Error(`it calls itself ${JSON.stringify(document.issuer)}`);
  for (const url of [authorizationEndpoint, tokenEndpoint])
    if (!url.startsWith("https://") || !URL.canParse(url)) throw new Error("its endpoints are no https URLs");
  const { jwks_uri: keys } = document;
  const jwksUri = typeof keys === "string" && keys.startsWith("https://") && URL.canParse(keys) ? keys : null;
  return { authorizationEndpoint, tokenEndpoint, jwksUri };
}

function readKeySet(answer: unknown): true {
  if (isObject(answer) && Array.isArray(answer.keys)) return true;
  throw new Error("it is not a key set (JWKS)");
}
