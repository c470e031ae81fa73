import { X509Certificate } from "node:crypto";
import type * as X509 from "@peculiar/x509";
import { conditioned, text } from "../core/fields";
import { present } from "../core/narrow";
import { readAllDer, readDer, requireDer } from "./der";

/** The facts about its certificate in a certificate authority's answers. */
export interface CertificateFacts {
  readonly subject_common_name: string;
  /** RFC 3339. */
  readonly not_before: string;
  /** RFC 3339. */
  readonly not_after: string;
  /** RFC 5280 section 4.2.1.3 names, for example keyCertSign; empty when the extension is absent. */
  readonly key_usages: string[];
  /**
   * RFC 5280 section 4.2.1.12 names, or the object identifier where it has no name there; empty when absent.
   */
  readonly extended_key_usages: string[];
}

/** One X.509 certificate of an authority, as PEM. */
export const certificateAuthorityPem = () =>
  conditioned(text(LONGEST_PEM), (pem) => {
    const read = readCertificateAuthority(pem);
    return typeof read === "string" ? read : undefined;
  });

// The longest certificate of a real authority is a few KB; the bound keeps parsing cheap.
const LONGEST_PEM = 64 * 1024;
/** Real certificates have about ten. */
const MOST_EXTENSIONS = 64;

const UNREADABLE =
  "cannot be read completely as an X.509 certificate: the PEM block, or a field or an extension in it, is truncated or damaged; send the certificate as its issuer gave it";

/** Reads the certificate of an authority. Returns an error text if it is not one. */
export function readCertificateAuthority(pem: string): CertificateFacts | string {
  const shape = mistakeInShape(pem);
  if (shape) return shape;
  try {
    const der = derOf(pem);
    return mistakeInExtensions(der) ?? factsOf(der);
  } catch {
    return UNREADABLE;
  }
}

/** The certificate's bytes. Throws unless OpenSSL reads all of them as one certificate with a key. */
function derOf(pem: string): Buffer {
  const base64 = pem.replace(/-----(BEGIN|END) CERTIFICATE-----/g, "").replace(/\s+/g, "");
  const der = Buffer.from(base64, "base64");
  if (der.toString("base64") !== base64) throw new Error("not base64");
  requireDer(der);
  const certificate = new X509Certificate(der);
  if (!certificate.raw.equals(der)) throw new Error("bytes follow the certificate");
  certificate.publicKey; // parsed on first access
  return der;
}

const EXTENSIONS = 0xa3; // [3] of RFC 5280 section 4.1

/** Each extension holds one value, and none is repeated (RFC 5280 section 4.2). */
function mistakeInExtensions(der: Buffer): string | undefined {
  const [signed] = readAllDer(readDer(der).content);
  const field = readAllDer(present(signed).content).find(({ tag }) => tag === EXTENSIONS);
  if (!field) return undefined;
  const extensions = readAllDer(readDer(field.content).content);
  if (extensions.length > MOST_EXTENSIONS)
    return `has ${extensions.length} extensions; at most ${MOST_EXTENSIONS} are allowed`;
  const seen = new Set<string>();
  for (const { content } of extensions) {
    const parts = readAllDer(content);
    const name = present(parts[0]).content.toString("hex");
    if (seen.has(name)) throw new Error("a repeated extension");
    seen.add(name);
    requireDer(present(parts.at(-1)).content);
  }
  return undefined;
}

function factsOf(der: Buffer): CertificateFacts | string {
  // Loaded on first use: it is the heaviest of the contract's libraries, and most programs declare no
  // authority.
  require("reflect-metadata"); // required by the library
  const x509: typeof X509 = require("@peculiar/x509");
  const certificate = new x509.X509Certificate(der);
  certificate.extensions; // parses every extension that it knows
  const constraints = certificate.getExtension(x509.BasicConstraintsExtension);
  if (!constraints)
    return "is not a certificate authority: the certificate has no basicConstraints extension; upload the certificate that signs others";
  if (!constraints.ca)
    return "is a leaf certificate (basicConstraints says CA:FALSE); upload the certificate of the authority that signed it";
  const usages = certificate.getExtension(x509.KeyUsagesExtension)?.usages ?? 0;
  return {
    subject_common_name: certificate.subjectName.getField("CN")[0] ?? "",
    not_before: rfc3339(certificate.notBefore),
    not_after: rfc3339(certificate.notAfter),
    key_usages: KEY_USAGES.filter((_, bit) => usages & (1 << bit)),
    extended_key_usages: (certificate.getExtension(x509.ExtendedKeyUsageExtension)?.usages ?? []).map(
      (oid) => EXTENDED_KEY_USAGES[String(oid)] ?? String(oid),
    ),
  };
}

function mistakeInShape(pem: string): string | undefined {
  if (pem.length > LONGEST_PEM)
    return `is ${pem.length} characters long; one certificate takes a few thousand`;
  const labels = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map((match) => present(match[1]));
  if (labels.some((label) => label.endsWith("PRIVATE KEY")))
    return "holds a private key; send the certificate alone, and keep the key where it is";
  if (labels.length === 0) return 'must be a PEM block that begins with "-----BEGIN CERTIFICATE-----"';
  if (labels.length > 1)
    return `holds ${labels.length} PEM blocks; send exactly one certificate, and further authorities as objects of their own`;
  if (labels[0] !== "CERTIFICATE") return `holds a ${labels[0]}, not a CERTIFICATE`;
  if (!/^\s*-----BEGIN CERTIFICATE-----[\s\S]*-----END CERTIFICATE-----\s*$/.test(pem))
    return pem.includes("-----END CERTIFICATE-----")
      ? "has text around its PEM block; send the block alone"
      : "has no END line; the PEM block is truncated";
  return undefined;
}

/** Whole seconds, as X.509 counts them (RFC 5280 section 4.1.2.5). */
const rfc3339 = (date: Date): string => date.toISOString().replace(".000Z", "Z");

/** RFC 5280 section 4.2.1.3, in the order of their bits. */
const KEY_USAGES = [
  "digitalSignature",
  "nonRepudiation",
  "keyEncipherment",
  "dataEncipherment",
  "keyAgreement",
  "keyCertSign",
  "cRLSign",
  "encipherOnly",
  "decipherOnly",
];

/** RFC 5280 section 4.2.1.12. */
const EXTENDED_KEY_USAGES: Record<string, string> = {
  "2.5.29.37.0": "anyExtendedKeyUsage",
  "1.3.6.1.5.5.7.3.1": "serverAuth",
  "1.3.6.1.5.5.7.3.2": "clientAuth",
  "1.3.6.1.5.5.7.3.3": "codeSigning",
  "1.3.6.1.5.5.7.3.4": "emailProtection",
  "1.3.6.1.5.5.7.3.8": "timeStamping",
  "1.3.6.1.5.5.7.3.9": "OCSPSigning",
};
