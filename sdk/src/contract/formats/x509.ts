import { X509Certificate } from "node:crypto";
import type * as X509 from "@peculiar/x509";
import { z } from "zod";
import type { Sent } from "../core/definition";
import { own, present } from "../core/narrow";
import { readAllDer, readDer, requireDer } from "./der";

/** Real certificates have about ten. */
const MAX_EXTENSIONS = 64;

/** The fields that answers about any certificate have. */
export const certificateFacts = {
  subject_common_name: z.string().meta({ description: "Common name of the certificate's subject." }),
  not_before: z.iso.datetime().meta({ description: "When the certificate becomes valid (RFC 3339)." }),
  not_after: z.iso.datetime().meta({ description: "When the certificate becomes invalid (RFC 3339)." }),
  key_usages: z
    .array(z.string())
    .meta({ description: "Key usages, in the names of RFC 5280; empty if the certificate names none." }),
  extended_key_usages: z.array(z.string()).meta({
    description: "Extended key usages, in the names of RFC 5280; empty if the certificate names none.",
  }),
};

/** RFC 5280 sections 4.2.1.3 and 4.2.1.12; a usage without a name there is an object identifier. */
export type CertificateFacts = Sent<typeof certificateFacts>;

/** A certificate that was read completely. */
export interface ReadCertificate {
  readonly openssl: X509Certificate;
  /** @internal Its types need the DOM's, which programs for Node do not have. */
  readonly parsed: X509.X509Certificate;
  readonly facts: CertificateFacts;
}

/**
 * @internal The library for certificates, loaded on first use: it is the heaviest, and most programs need
 * none.
 */
export function x509(): typeof X509 {
  require("reflect-metadata"); // required by the library
  return require("@peculiar/x509");
}

/**
 * Reads one PEM block completely. Returns an error text for too many extensions.
 *
 * @throws if a part of it cannot be read
 */
export function readCertificate(pem: string): ReadCertificate | string {
  const der = derOf(pem);
  const mistake = mistakeInExtensions(der);
  if (mistake) return mistake;
  const { KeyUsagesExtension, ExtendedKeyUsageExtension, X509Certificate: Parsed } = x509();
  const parsed = new Parsed(der);
  parsed.extensions; // parses every extension that it knows
  const usages = parsed.getExtension(KeyUsagesExtension)?.usages ?? 0;
  return {
    openssl: new X509Certificate(der),
    parsed,
    facts: {
      subject_common_name: parsed.subjectName.getField("CN")[0] ?? "",
      not_before: rfc3339(parsed.notBefore),
      not_after: rfc3339(parsed.notAfter),
      key_usages: KEY_USAGES.filter((_, bit) => usages & (1 << bit)),
      extended_key_usages: (parsed.getExtension(ExtendedKeyUsageExtension)?.usages ?? []).map(
        (oid) => own(EXTENDED_KEY_USAGES, String(oid)) ?? String(oid),
      ),
    },
  };
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
  if (extensions.length > MAX_EXTENSIONS)
    return `has ${extensions.length} extensions; at most ${MAX_EXTENSIONS} are allowed`;
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
