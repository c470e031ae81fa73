import { createHash, createPublicKey, type JsonWebKey } from "node:crypto";
import type * as Sshpk from "sshpk";
import { conditioned, text } from "../core/fields";

/** A public key for SSH that has been read and found sound. */
export interface SshPublicKey {
  readonly type: "rsa" | "ecdsa" | "ed25519";
  /** The key's wire form (RFC 4253 section 6.6): the same however the text was written. */
  readonly blob: Buffer;
}

const CURE = 'expected an OpenSSH line ("ssh-ed25519 AAAA… comment") or a PEM block ("-----BEGIN PUBLIC KEY-----")';
const SMALLEST_RSA = 2048;
// An RSA key of 16384 bits takes 3.7 KB as PEM; the bound keeps parsing cheap.
const LONGEST_TEXT = 16 * 1024;

/** A public key for SSH: an OpenSSH line, or PEM as SubjectPublicKeyInfo (RFC 7468) or RFC 4716. */
export const sshPublicKey = () =>
  conditioned(text(LONGEST_TEXT), (line) => {
    const read = readSshPublicKey(line);
    return typeof read === "string" ? read : undefined;
  });

/** A public key for SSH as one line of an authorized_keys file, without options before it. */
export const openSshPublicKey = () =>
  conditioned(sshPublicKey(), (text) => {
    if (text.trimStart().startsWith("--")) return `must be an OpenSSH line ("ssh-ed25519 AAAA… comment"); "ssh-keygen -i" converts PEM`;
    return /[\r\n]/.test(text.trim()) ? "holds more than one line; each key takes a certificate of its own" : undefined;
  });

/** Reads a public key, or says why it is none that may be used. */
export function readSshPublicKey(text: string): SshPublicKey | string {
  if (text.length > LONGEST_TEXT) return `is ${text.length} characters long, more than any public key; ${CURE}`;
  if (text.includes("PRIVATE KEY")) return "is a private key; send the public half (the .pub file), and treat this key as disclosed";
  // Loaded when first needed: most programs declare no SSH key.
  const sshpk = require("sshpk") as typeof Sshpk;
  let key: Sshpk.Key;
  try {
    key = parse(sshpk, text.trim());
  } catch {
    return `cannot be read as a public key; ${CURE}`;
  }
  if (key.type !== "rsa" && key.type !== "ecdsa" && key.type !== "ed25519") return `is a ${key.type} key; expected rsa, ecdsa or ed25519`;
  if (key.type === "rsa" && key.size < SMALLEST_RSA) return `is an RSA key of ${key.size} bits; at least ${SMALLEST_RSA} are needed`;
  try {
    // node:crypto refuses what sshpk lets pass: points off their curve, keys of a wrong length.
    createPublicKey({ key: jwkOf(key), format: "jwk" });
  } catch {
    return "is not a valid key of its type: its numbers do not form a point on the curve or a modulus";
  }
  return { type: key.type, blob: key.toBuffer("rfc4253", {}) };
}

/** What makes two texts the same key, as OpenSSH prints fingerprints. */
export const fingerprint = (key: SshPublicKey): string =>
  `SHA256:${createHash("sha256").update(key.blob).digest("base64").replace(/=+$/, "")}`;

function parse(sshpk: typeof Sshpk, text: string): Sshpk.Key {
  if (text.startsWith("---- BEGIN SSH2 PUBLIC KEY ----")) {
    const lines = text.split(/\r?\n/).slice(1, -1);
    const body = lines.filter((line, index) => !line.includes(":") && !lines[index - 1]?.endsWith("\\"));
    return sameBytes(sshpk.parseKey(Buffer.from(body.join(""), "base64"), "rfc4253"), body.join(""));
  }
  if (text.startsWith("-----BEGIN ")) {
    if (!/^-----BEGIN ([A-Z ]+)-----[^-]+-----END \1-----$/.test(text)) throw new Error("not exactly one block");
    return sshpk.parseKey(text, "pem");
  }
  const [, base64 = ""] = text.split(/\s+/);
  return sameBytes(sshpk.parseKey(text, "ssh"), base64);
}

/** A key whose blob is longer than the key it holds, or encodes it in another way, is refused (it would be compared wrongly). */
function sameBytes(key: Sshpk.Key, base64: string): Sshpk.Key {
  if (!key.toBuffer("rfc4253", {}).equals(Buffer.from(base64, "base64"))) throw new Error("not the canonical encoding");
  return key;
}

function jwkOf(key: Sshpk.Key): JsonWebKey {
  const part = (name: string): Buffer => {
    const data = (key as unknown as { part: Record<string, { data: Buffer }> }).part[name]?.data;
    if (!data) throw new Error(`key has no part ${name}`);
    return data;
  };
  const url = (bytes: Buffer) => bytes.toString("base64url");
  if (key.type === "rsa") return { kty: "RSA", n: url(withoutLeadingZeros(part("n"))), e: url(withoutLeadingZeros(part("e"))) };
  if (key.type === "ed25519") return { kty: "OKP", crv: "Ed25519", x: url(part("A")) };
  const curves: Record<string, string> = { nistp256: "P-256", nistp384: "P-384", nistp521: "P-521" };
  const point = part("Q");
  const half = (point.length - 1) / 2;
  return { kty: "EC", crv: curves[key.curve ?? ""], x: url(point.subarray(1, 1 + half)), y: url(point.subarray(1 + half)) };
}

function withoutLeadingZeros(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  return bytes.subarray(Math.max(start, 0));
}
