import { constants, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { addressOfUrl, addressText } from "../envoy/address";
import type { WholeToken } from "./asked";

/** How long the tokens of a trial are good for. */
const LIFE_SECONDS = 600;
const CURVES = { ES256: "P-256", ES384: "P-384", ES512: "P-521" } as const;

type Keys = ReadonlyMap<string, { readonly publicKey: KeyObject; readonly privateKey: KeyObject }>;

/** The keys of one key set, by the family of their algorithms. */
const newKeys = (): Keys =>
  new Map([
    ["RSA", generateKeyPairSync("rsa", { modulusLength: 2048 })],
    ["EdDSA", generateKeyPairSync("ed25519")],
    ...Object.entries(CURVES).map(
      ([name, namedCurve]) => [name, generateKeyPairSync("ec", { namedCurve })] as const,
    ),
  ]);

const familyOf = (algorithm: string): string => (/^[RP]S/.test(algorithm) ? "RSA" : algorithm);
const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/**
 * Key sets that stand in for the declared ones, by their URLs, and tokens that are signed with their keys.
 */
export class KeySets {
  readonly #byUrl = new Map<string, Keys>();
  readonly #published = new Map<string, string>();

  /** Has the stand-in at the URL's host answer with keys made for the trial. */
  publish(url: string): void {
    this.#published.set(placeOf(url), url);
  }

  /** The key set at a path of a host; undefined if there is none. @param at `HOST:PORT` */
  at(at: string, path: string): string | undefined {
    const url = this.#published.get(`${at}${path}`);
    if (url === undefined) return undefined;
    const keys = [...this.#of(url)].map(([kid, { publicKey }]) => ({
      ...publicKey.export({ format: "jwk" }),
      kid,
    }));
    return JSON.stringify({ keys });
  }

  /** A token that is valid now, signed with a key of the key set that it names. */
  sign({ issuer, audiences, algorithm, keys, claims = {} }: Omit<WholeToken, "at">): string {
    const kid = familyOf(algorithm);
    const exp = Math.floor(Date.now() / 1000) + LIFE_SECONDS;
    const all = { ...claims, iss: issuer, aud: audiences, exp };
    const text = `${encode({ alg: algorithm, kid })}.${encode(all)}`;
    const key = this.#of(keys).get(kid)?.privateKey;
    return `${text}.${key ? signature(text, algorithm, key) : "bm9uZQ"}`;
  }

  #of(url: string): Keys {
    const keys = this.#byUrl.get(url) ?? newKeys();
    this.#byUrl.set(url, keys);
    return keys;
  }
}

/** RFC 7518, section 3.1, and RFC 8037. */
function signature(text: string, algorithm: string, key: KeyObject): string {
  const bits = /\d+$/.exec(algorithm)?.[0];
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  const options = algorithm.startsWith("PS") ? { key, ...pss } : { key, dsaEncoding: "ieee-p1363" as const };
  return sign(bits ? `sha${bits}` : null, Buffer.from(text), options).toString("base64url");
}

/** A host with a port, and a path. */
function placeOf(url: string): string {
  const { pathname, search } = new URL(url);
  return `${addressText(addressOfUrl(url))}${pathname}${search}`;
}
