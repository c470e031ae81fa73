import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { own } from "@tunnelplane/sdk/contract";
import type { AuthorityKey } from "./authorityKey";
import { string, uint32, uint64, WireReader } from "./wire";

/** The content of a certificate: the fields of PROTOCOL.certkeys that we choose. */
export interface Statement {
  readonly kind: "user" | "host";
  /** The public key's wire form (RFC 4253 section 6.6). */
  readonly subject: Buffer;
  readonly keyId: string;
  readonly principals: readonly string[];
  /** Seconds since 1970; from then on. */
  readonly validAfter: number;
  /** Seconds since 1970; valid before then. */
  readonly validBefore: number;
  readonly criticalOptions: Readonly<Record<string, string>>;
  readonly extensions: Readonly<Record<string, string>>;
}

const KINDS = { user: 1, host: 2 } as const;
const NONCE_BYTES = 32;
const SUFFIX = "-cert-v01@openssh.com";
/** Number of values after the name in a public key's wire form. */
const PUBLIC_PARTS: Record<string, number> = { "ssh-ed25519": 1, "ssh-rsa": 2 };
const ECDSA_PARTS = 2;

/**
 * Makes a certificate as one line, in OpenSSH's format. Before it leaves the server, it is read back,
 * compared with the request, and its signature is checked: a wrong certificate could not be recalled.
 */
export async function issueCertificate(statement: Statement, authority: AuthorityKey): Promise<string> {
  const subject = new WireReader(statement.subject);
  const algorithm = subject.text() + SUFFIX;
  const signed = Buffer.concat([
    string(algorithm),
    string(randomBytes(NONCE_BYTES)),
    statement.subject.subarray(subject.offset),
    uint64(randomBytes(8).readBigUInt64BE()), // serial
    uint32(KINDS[statement.kind]),
    string(statement.keyId),
    string(Buffer.concat(statement.principals.map(string))),
    uint64(BigInt(statement.validAfter)),
    uint64(BigInt(statement.validBefore)),
    options(statement.criticalOptions),
    options(statement.extensions),
    string(""), // reserved
    string(authority.blob),
  ]);
  const certificate = Buffer.concat([signed, string(await authority.sign(signed))]);
  if (!isDeepStrictEqual(readCertificate(certificate, authority), statement)) {
    throw new Error(`The certificate ${statement.keyId} differs from the request; it is discarded`);
  }
  return `${algorithm} ${certificate.toString("base64")}`;
}

/** PROTOCOL.certkeys: options are sorted by name, and each value is a nested string. */
const options = (values: Readonly<Record<string, string>>): Buffer =>
  string(
    Buffer.concat(
      Object.entries(values)
        .map(([name, value]) => ({ name: Buffer.from(name), value }))
        .sort((a, b) => a.name.compare(b.name))
        .flatMap(({ name, value }) => [string(name), string(value === "" ? "" : string(value))]),
    ),
  );

/**
 * Reads a certificate. Throws unless the authority signed exactly its content, with nothing before or after
 * it.
 */
function readCertificate(certificate: Buffer, authority: AuthorityKey): Statement {
  const reader = new WireReader(certificate);
  const keyAlgorithm = reader.text().replace(SUFFIX, "");
  const nonce = reader.string();
  const parts = Array.from({ length: own(PUBLIC_PARTS, keyAlgorithm) ?? ECDSA_PARTS }, () => reader.string());
  reader.uint64(); // serial
  const kind = reader.uint32() === KINDS.user ? "user" : "host";
  const keyId = reader.text();
  const principals = listOf(reader.string(), (list) => list.text());
  const validAfter = Number(reader.uint64());
  const validBefore = Number(reader.uint64());
  const [criticalOptions, extensions] = [readOptions(reader.string()), readOptions(reader.string())];
  const reserved = reader.string();
  const signer = reader.string();
  const signed = certificate.subarray(0, reader.offset);
  const signature = reader.string();
  if (nonce.length !== NONCE_BYTES || reserved.length > 0 || !reader.done)
    throw new Error(`The certificate ${keyId} is malformed`);
  if (!signer.equals(authority.blob) || !authority.verify(signed, signature))
    throw new Error(`The signature of ${keyId} is wrong`);
  const subject = Buffer.concat([string(keyAlgorithm), ...parts.map(string)]);
  return { kind, subject, keyId, principals, validAfter, validBefore, criticalOptions, extensions };
}

function readOptions(bytes: Buffer): Record<string, string> {
  return Object.fromEntries(
    listOf(bytes, (list) => {
      const name = list.text();
      const data = list.string();
      return [name, data.length === 0 ? "" : new WireReader(data).text()];
    }),
  );
}

function listOf<T>(bytes: Buffer, read: (list: WireReader) => T): T[] {
  const list = new WireReader(bytes);
  const found: T[] = [];
  while (!list.done) found.push(read(list));
  return found;
}
