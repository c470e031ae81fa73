import { webcrypto } from "node:crypto";
import type * as X509 from "@peculiar/x509";
import type { Objects, ServerCertificate } from "../envoy/model";
import { certificateOf } from "./pair";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const DAY_MS = 86_400_000;
/** id-pe-acmeIdentifier (RFC 8737 section 3). */
const ACME_IDENTIFIER = "1.3.6.1.5.5.7.1.31";
const OCTET_STRING = 0x04;
const DIGEST_BYTES = 32;

/** The certificates that prove to an authority that a domain leads here (RFC 8737), each made once. */
export class Challenges {
  #made = new Map<string, ServerCertificate>();

  /** @returns those that are asked for now */
  async of({ reserved_domain }: Objects): Promise<ServerCertificate[]> {
    const made = new Map<string, ServerCertificate>();
    for (const { domain, acme_tls_alpn: text } of reserved_domain) {
      const digest = Buffer.from(text ?? "", "base64url");
      if (digest.length !== DIGEST_BYTES) continue;
      const name = domain.toLowerCase();
      const key = `${name} ${text}`;
      made.set(key, this.#made.get(key) ?? (await certificateFor(name, digest)));
    }
    this.#made = made;
    return [...made.values()];
  }
}

async function certificateFor(name: string, digest: Buffer): Promise<ServerCertificate> {
  require("reflect-metadata");
  const x509: typeof X509 = require("@peculiar/x509");
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const proof = Buffer.concat([Buffer.from([OCTET_STRING, DIGEST_BYTES]), digest]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=tunnelplane challenge",
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + DAY_MS),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.SubjectAlternativeNameExtension([{ type: "dns", value: name }]),
      new x509.Extension(ACME_IDENTIFIER, true, proof),
    ],
  });
  const der = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
  const key = `-----BEGIN PRIVATE KEY-----\n${der.replace(/.{64}/g, "$&\n")}\n-----END PRIVATE KEY-----\n`;
  return certificateOf(`${certificate.toString("pem")}\n`, key, name);
}
