import { createHash, createPublicKey, type JsonWebKey } from "node:crypto";
import type * as Sshpk from "sshpk";
import { conditioned, text } from "../core/fields";
import { own, present } from "../core/narrow";
import { isOfFullOrder } from "./ed25519";

/** A valid public key for SSH. */
export interface SshPublicKey {
  readonly type: "rsa" | "ecdsa" | "ed25519";
  /** The key's wire form (RFC 4253 section 6.6). It does not depend on the format of the text. */
  readonly blob: Buffer;
}

const CURE =
  'expected an OpenSSH line ("ssh-ed25519 AAAA… comment") or a PEM block ("-----BEGIN PUBLIC KEY-----")';
const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 16_384;
const MIN_EXPONENT = 65_537n;
// An RSA key of 16384 bits takes 3.7 KB as PEM; the bound keeps parsing cheap.
const MAX_TEXT_LENGTH = 16 * 1024;

/** A public key for SSH: an OpenSSH line, or PEM as SubjectPublicKeyInfo (RFC 7468) or RFC 4716. */
export const sshPublicKey = () =>
  conditioned(text(MAX_TEXT_LENGTH), (line) => {
    const shape = mistakeInShape(line.trim());
    if (shape) return shape;
    const read = readSshPublicKey(line);
    return typeof read === "string" ? read : mistakeInNumbers(read);
  });

/** A public key for SSH as one line of an authorized_keys file, without options before it. */
export const openSshPublicKey = () =>
  conditioned(sshPublicKey(), (text) =>
    text.trimStart().startsWith("--")
      ? `must be an OpenSSH line ("ssh-ed25519 AAAA… comment"); "ssh-keygen -i" converts PEM`
      : undefined,
  );

/** The names of key types at the beginning of a line (RFC 4253, 5656, 8332, 8709, and OpenSSH's own). */
const TYPE = String.raw`(?:ssh-(?:rsa|dss|ed25519|ed448)|rsa-sha2-\d+|ecdsa-sha2-\S+|sk-\S+)`;

/** Accept exactly one key on one line. Options and certificates would be stored without any effect. */
function mistakeInShape(text: string): string | undefined {
  if (text.includes("PRIVATE KEY")) return undefined; // readSshPublicKey has a better error text for this
  if (text.startsWith("--"))
    return text.split("BEGIN ").length > 2 || !/-----?$/.test(text)
      ? `holds more than one key, or text around it; ${CURE}`
      : undefined;
  if (/[\r\n]/.test(text))
    return "holds more than one line; send one key, as one line, and further keys as objects of their own";
  if (/^\S+-cert-v\d\d@openssh\.com\s/.test(text))
    return "is a certificate; send the public key that it certifies";
  if (new RegExp(`^(?!${TYPE}\\s).*\\s${TYPE}\\s+AAAA`).test(text))
    return "has options before the key; send only the key, from its type on";
  if (/^sk-\S+\s/.test(text))
    return 'is a key of a security token: hardware keys are not supported yet; send another one, such as "ssh-keygen -t ed25519" makes';
  return undefined;
}

/** Finds numbers that make signatures worthless and that parsers accept. */
function mistakeInNumbers({ type, blob }: SshPublicKey): string | undefined {
  const [, first, second] = partsOf(blob);
  if (type === "ed25519")
    return isOfFullOrder(present(first))
      ? undefined
      : "is not a point of full order on its curve; generate a new key";
  if (type === "ecdsa") return undefined; // on the NIST curves every point has full order
  const numberIn = (part?: Buffer) => BigInt(`0x${present(part).toString("hex")}`);
  const exponent = numberIn(first);
  const modulus = numberIn(second);
  if (exponent < MIN_EXPONENT || exponent % 2n === 0n)
    return `has the exponent ${exponent.toString().slice(0, 20)}; it must be odd and at least ${MIN_EXPONENT}`;
  return modulus % 2n === 0n ? "has an even modulus, so it is not an RSA key" : undefined;
}

/** Splits a key's wire form into its parts; the first is the name of its type (RFC 4251 section 5). */
function partsOf(blob: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let offset = 0; offset + 4 <= blob.length; ) {
    const end = offset + 4 + blob.readUInt32BE(offset);
    parts.push(blob.subarray(offset + 4, end));
    offset = end;
  }
  return parts;
}

/** Reads a public key. Returns an error text if it may not be used; new keys are checked more strictly. */
export function readSshPublicKey(text: string): SshPublicKey | string {
  if (text.length > MAX_TEXT_LENGTH)
    return `is ${text.length} characters long, more than any public key; ${CURE}`;
  if (text.includes("PRIVATE KEY"))
    return "is a private key; send the public half (the .pub file), and treat this key as disclosed";
  // Loaded on first use: most programs declare no SSH key.
  const sshpk: typeof Sshpk = require("sshpk");
  let key: Sshpk.Key;
  try {
    key = parse(sshpk, text.trim());
  } catch {
    return `cannot be read as a public key; ${CURE}`;
  }
  if (key.type !== "rsa" && key.type !== "ecdsa" && key.type !== "ed25519")
    return `is a ${key.type} key; expected rsa, ecdsa or ed25519`;
  if (key.type === "rsa" && key.size < MIN_RSA_BITS)
    return `is an RSA key of ${key.size} bits; at least ${MIN_RSA_BITS} are needed`;
  if (key.type === "rsa" && key.size > MAX_RSA_BITS)
    return `is an RSA key of ${key.size} bits; at most ${MAX_RSA_BITS} are allowed`;
  try {
    // node:crypto refuses some keys that sshpk accepts: points off their curve, keys of a wrong length.
    createPublicKey({ key: jwkOf(key), format: "jwk" });
  } catch {
    return "is not a valid key of its type: its numbers do not form a point on the curve or a modulus";
  }
  return { type: key.type, blob: key.toBuffer("rfc4253", {}) };
}

/** Reads a public key that was validated before it was stored. */
export function validSshPublicKey(text: string): SshPublicKey {
  const read = readSshPublicKey(text);
  if (typeof read === "string") throw new Error(`The public key ${read}`);
  return read;
}

/** The fingerprint of a key, as OpenSSH prints it; equal for two texts of the same key. */
export const fingerprint = (key: SshPublicKey): string =>
  `SHA256:${createHash("sha256").update(key.blob).digest("base64").replace(/=+$/, "")}`;

function parse(sshpk: typeof Sshpk, text: string): Sshpk.Key {
  if (text.startsWith("---- BEGIN SSH2 PUBLIC KEY ----")) {
    const lines = text.split(/\r?\n/).slice(1, -1);
    const body = lines.filter((line, index) => !line.includes(":") && !lines[index - 1]?.endsWith("\\"));
    return sameBytes(sshpk.parseKey(Buffer.from(body.join(""), "base64"), "rfc4253"), body.join(""));
  }
  if (text.startsWith("-----BEGIN ")) {
    if (!/^-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----$/.test(text))
      throw new Error("not exactly one block");
    return sshpk.parseKey(text, "pem");
  }
  const [, base64 = ""] = text.split(/\s+/);
  return sameBytes(sshpk.parseKey(text, "ssh"), base64);
}

/**
 * Refuses a blob that is not the key's canonical encoding, because comparisons would miss that it is the same
 * key.
 */
function sameBytes(key: Sshpk.Key, base64: string): Sshpk.Key {
  // As text, because ssh-keygen takes no base64 without its padding or with other characters in it.
  if (key.toBuffer("rfc4253", {}).toString("base64") !== base64)
    throw new Error("not the canonical encoding");
  return key;
}

function jwkOf(key: Sshpk.Key): JsonWebKey {
  const part = (name: string): Buffer => {
    const data = own((key as { part: Record<string, { data: Buffer }> }).part, name)?.data;
    if (!data) throw new Error(`key has no part ${name}`);
    return data;
  };
  const url = (bytes: Buffer) => bytes.toString("base64url");
  if (key.type === "rsa")
    return { kty: "RSA", n: url(withoutLeadingZeros(part("n"))), e: url(withoutLeadingZeros(part("e"))) };
  if (key.type === "ed25519") return { kty: "OKP", crv: "Ed25519", x: url(part("A")) };
  const curves: Record<string, string> = { nistp256: "P-256", nistp384: "P-384", nistp521: "P-521" };
  const point = part("Q");
  const half = (point.length - 1) / 2;
  return {
    kty: "EC",
    crv: own(curves, key.curve ?? ""),
    x: url(point.subarray(1, 1 + half)),
    y: url(point.subarray(1 + half)),
  };
}

function withoutLeadingZeros(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  return bytes.subarray(Math.max(start, 0));
}
