import { createPrivateKey, type KeyObject } from "node:crypto";
import { present } from "../core/narrow";
import { remembering } from "../core/once";
import { requireDer } from "./der";
import { PEM_BLOCK, pemWrittenAnew } from "./pem";
import { type CertificateFacts, type ReadCertificate, readCertificate, x509 } from "./x509";

// A chain of ten of the longest certificates in use; the bounds keep parsing cheap.
const MAX_CHAIN_LENGTH = 64 * 1024;
const MAX_CERTIFICATES = 10;
const MAX_KEY_LENGTH = 16 * 1024;

/** The facts about a TLS certificate in its answers, besides `issued_at`. */
export interface TlsCertificateFacts extends CertificateFacts {
  readonly subject_alternative_names: { readonly dns_names: string[]; readonly ips: string[] };
  readonly private_key_type: "rsa" | "ecdsa";
  readonly issuer_common_name: string;
  /** Lower-case hexadecimal. */
  readonly serial_number: string;
  readonly subject_organization: string;
  readonly subject_organizational_unit: string;
  readonly subject_locality: string;
  readonly subject_province: string;
  readonly subject_country: string;
}

/** The mistake in a chain, or the facts about its leaf. */
export const readTlsCertificate = (pem: string): TlsCertificateFacts | string =>
  pem.length > MAX_CHAIN_LENGTH
    ? `is ${pem.length} characters long; a chain of certificates takes a few thousand`
    : readChain(pem);

/** At most 6 MB of chains. A creation asks three times for the same one, and each look checks signatures. */
const MAX_CHAINS = 100;

const readChain = remembering(MAX_CHAINS, (pem: string): TlsCertificateFacts | string => {
  const blocks = [...pem.matchAll(PEM_BLOCK)];
  if (blocks.some(([, label]) => label?.endsWith("PRIVATE KEY")))
    return "holds a private key; send that as `private_key_pem`, and only the certificates here";
  if (blocks.length === 0 || pem.replace(PEM_BLOCK, "").trim() !== "")
    return 'must be only PEM blocks, each from "-----BEGIN CERTIFICATE-----" to its END line: the certificate of the server first';
  if (blocks.length > MAX_CERTIFICATES)
    return `holds ${blocks.length} certificates; a chain has at most ${MAX_CERTIFICATES}`;
  const chain: ReadCertificate[] = [];
  for (const [index, [block, label]] of blocks.entries()) {
    if (label !== "CERTIFICATE") return `holds a ${label} as block ${index + 1}, not a CERTIFICATE`;
    const read = readBlock(block);
    if (typeof read === "string")
      return `holds a certificate (${index + 1} of ${blocks.length}) that ${read}`;
    chain.push(read);
  }
  return mistakeInOrder(chain) ?? factsOf(present(chain[0]));
});

function readBlock(block: string): ReadCertificate | string {
  try {
    return readCertificate(block);
  } catch {
    return "cannot be read completely: it is truncated or damaged; send it as its issuer gave it";
  }
}

/** Each certificate is signed by the next: RFC 8446 section 4.4.2, as most servers and clients want it. */
function mistakeInOrder(chain: readonly ReadCertificate[]): string | undefined {
  for (const [index, { openssl }] of chain.entries()) {
    const next = chain[index + 1];
    if (!next || isSignedBy(openssl, next.openssl)) continue;
    const signer = chain.findIndex((other) => isSignedBy(openssl, other.openssl));
    const cure =
      signer < 0
        ? `leave certificate ${index + 2} out, or put the certificate of ${quotedIssuer(openssl)} in its place`
        : `certificate ${signer + 1} did; send the certificate of the server first, and behind each the one that signed it`;
    return `is out of order: certificate ${index + 2} did not sign certificate ${index + 1}; ${cure}`;
  }
  return undefined;
}

const isSignedBy = (one: ReadCertificate["openssl"], other: ReadCertificate["openssl"]): boolean =>
  one.checkIssued(other) && one.verify(other.publicKey);

const quotedIssuer = ({ issuer }: ReadCertificate["openssl"]): string =>
  JSON.stringify(issuer.replaceAll("\n", ", "));

function factsOf({ openssl, parsed, facts }: ReadCertificate): TlsCertificateFacts | string {
  const type = keyTypeOf(openssl.publicKey);
  if (typeof type !== "string") return `has ${type.mistake}`;
  const names = parsed.getExtension(x509().SubjectAlternativeNameExtension)?.names.items ?? [];
  const named = (kind: string) => names.flatMap(({ type: of, value }) => (of === kind ? [value] : []));
  const subject = (field: string) => parsed.subjectName.getField(field)[0] ?? "";
  return {
    ...facts,
    subject_alternative_names: { dns_names: named("dns"), ips: named("ip") },
    private_key_type: type,
    issuer_common_name: parsed.issuerName.getField("CN")[0] ?? "",
    serial_number: openssl.serialNumber.toLowerCase(),
    subject_organization: subject("O"),
    subject_organizational_unit: subject("OU"),
    subject_locality: subject("L"),
    subject_province: subject("ST"),
    subject_country: subject("C"),
  };
}

/** The keys that Envoy serves. */
const CURVES: readonly unknown[] = ["prime256v1", "secp384r1", "secp521r1"];
const MIN_RSA_BITS = 2048;
const MAX_RSA_BITS = 4096;

function keyTypeOf(key: KeyObject): "rsa" | "ecdsa" | { mistake: string } {
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0, namedCurve } = {} } = key;
  if (type === "rsa")
    return modulusLength >= MIN_RSA_BITS && modulusLength <= MAX_RSA_BITS
      ? "rsa"
      : {
          mistake: `an RSA key of ${modulusLength} bits; use one of ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits`,
        };
  if (type === "ec" && CURVES.includes(namedCurve)) return "ecdsa";
  return {
    mistake: `a key that gateways cannot serve (${namedCurve ?? type}); use ECDSA with P-256, P-384 or P-521, or RSA`,
  };
}

/** The mistake in a private key by itself; undefined if there is none. */
export function mistakeInPrivateKey(pem: string): string | undefined {
  const key = privateKeyOf(pem);
  return typeof key === "string" ? key : undefined;
}

/** Whether a key is that of another certificate than the first of a chain. False if one cannot be read. */
export function belongsElsewhere(key: string, chain: string): boolean {
  if (typeof readTlsCertificate(chain) === "string") return false;
  const [read, readKey] = [readBlock(chain.match(PEM_BLOCK)?.[0] ?? ""), privateKeyOf(key)];
  return typeof read !== "string" && typeof readKey !== "string" && !read.openssl.checkPrivateKey(readKey);
}

function privateKeyOf(pem: string): KeyObject | string {
  if (pem.length > MAX_KEY_LENGTH)
    return `is ${pem.length} characters long; a private key takes a few thousand`;
  if (/ENCRYPTED/.test(pem))
    return "is protected by a passphrase; send it without one, as `openssl pkey -in key.pem` prints it";
  const blocks = [...pem.matchAll(PEM_BLOCK)];
  if (blocks.length > 0 && (blocks.length > 1 || pem.replace(PEM_BLOCK, "").trim() !== ""))
    return "holds more than the private key: send that block only, and certificates as `certificate_pem`";
  try {
    requireDer(Buffer.from(blocks[0]?.[2] ?? "", "base64"));
    return createPrivateKey(pemWrittenAnew(pem));
  } catch {
    return 'must be a private key in PEM, which begins with "-----BEGIN PRIVATE KEY-----"';
  }
}

/**
 * Whether one of the names of a certificate is good for a domain: the same name, or a wildcard for one label
 * (RFC 9525 section 6.3). A wildcard domain needs the same wildcard.
 */
export const isFor = (names: readonly string[], domain: string): boolean =>
  names.some((name) => {
    const [one, other] = [name.toLowerCase(), domain.toLowerCase()];
    return one === other || (one.startsWith("*.") && one.slice(1) === other.slice(other.indexOf(".")));
  });
