import { X509Certificate } from "node:crypto";
import { conditioned, text } from "../core/fields";
import { present } from "../core/narrow";
import { remembering } from "../core/once";
import { pemWrittenAnew } from "./pem";
import { type CertificateFacts, readCertificate, x509 } from "./x509";

/** One X.509 certificate of an authority, as PEM. */
export const certificateAuthorityPem = () =>
  conditioned(text(MAX_PEM_LENGTH), (pem) => {
    const read = readCertificateAuthority(pem);
    return typeof read === "string" ? read : undefined;
  });

// The longest certificate of a real authority is a few KB; the bound keeps parsing cheap.
const MAX_PEM_LENGTH = 64 * 1024;

const UNREADABLE =
  "cannot be read completely as an X.509 certificate: the PEM block, or a field or an extension in it, is truncated or damaged; send the certificate as its issuer gave it";

/** Reads the certificate of an authority. Returns an error text if it is not one. */
export function readCertificateAuthority(pem: string): CertificateFacts | string {
  const shape = mistakeInShape(pem);
  if (shape) return shape;
  try {
    const read = readCertificate(pem);
    if (typeof read === "string") return read;
    const constraints = read.parsed.getExtension(x509().BasicConstraintsExtension);
    if (!constraints)
      return "is not a certificate authority: the certificate has no basicConstraints extension; upload the certificate that signs others";
    if (!constraints.ca)
      return "is a leaf certificate (basicConstraints says CA:FALSE); upload the certificate of the authority that signed it";
    return read.facts;
  } catch {
    return UNREADABLE;
  }
}

function mistakeInShape(pem: string): string | undefined {
  if (pem.length > MAX_PEM_LENGTH)
    return `is ${pem.length} characters long; one certificate takes a few thousand`;
  const labels = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map((match) => present(match[1]));
  if (labels.some((label) => label.endsWith("PRIVATE KEY")))
    return "holds a private key; send only the certificate, and keep the key where it is";
  if (labels.length === 0) return 'must be a PEM block that begins with "-----BEGIN CERTIFICATE-----"';
  if (labels.length > 1)
    return `holds ${labels.length} PEM blocks; send exactly one certificate, and further authorities as objects of their own`;
  if (labels[0] !== "CERTIFICATE") return `holds a ${labels[0]}, not a CERTIFICATE`;
  if (!/^\s*-----BEGIN CERTIFICATE-----[\s\S]*-----END CERTIFICATE-----\s*$/.test(pem))
    return pem.includes("-----END CERTIFICATE-----")
      ? "has text around its PEM block; send only the block"
      : "has no END line; the PEM block is truncated";
  return undefined;
}

/** At most 6 MB of certificates. */
const MAX_REMEMBERED = 100;

/** Whether the key of an authority is only for RSA-PSS (RFC 4055), which Envoy's library cannot read. */
export const needsRsaPss = remembering(MAX_REMEMBERED, (pem: string): boolean => {
  try {
    return new X509Certificate(pemWrittenAnew(pem)).publicKey.asymmetricKeyType === "rsa-pss";
  } catch {
    return false;
  }
});
