import { X509Certificate } from "node:crypto";
import type * as X509 from "@peculiar/x509";
import { conditioned, text } from "../core/fields";

/** What a certificate authority's answers say of its certificate. */
export interface CertificateFacts {
  readonly subject_common_name: string;
  /** RFC 3339. */
  readonly not_before: string;
  /** RFC 3339. */
  readonly not_after: string;
  /** RFC 5280 section 4.2.1.3 names, for example keyCertSign; empty when the extension is absent. */
  readonly key_usages: string[];
  /** RFC 5280 section 4.2.1.12 names, or the object identifier where it has no name there; empty when absent. */
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

/** Reads the certificate of an authority, or says why it is not one. */
export function readCertificateAuthority(pem: string): CertificateFacts | string {
  const shape = complainAboutShape(pem);
  if (shape) return shape;
  // Loaded when first needed: it is the heaviest of the contract's libraries and most programs declare no authority.
  require("reflect-metadata"); // the library's own requirement
  const x509 = require("@peculiar/x509") as typeof X509;
  let certificate: X509.X509Certificate;
  try {
    new X509Certificate(pem); // OpenSSL's strict reading; the library below gives the fields that node:crypto lacks.
    certificate = new x509.X509Certificate(pem);
  } catch {
    return "cannot be read as an X.509 certificate: the PEM block is truncated or damaged";
  }
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

function complainAboutShape(pem: string): string | undefined {
  if (pem.length > LONGEST_PEM) return `is ${pem.length} characters long; one certificate takes a few thousand`;
  const labels = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map((match) => match[1] as string);
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
