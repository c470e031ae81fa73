import type { Objects, ServerCertificate } from "../envoy/model";
import { selfSigned } from "./developmentAuthority";
import { certificateOf } from "./pair";

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
  const proof = Buffer.concat([Buffer.from([OCTET_STRING, DIGEST_BYTES]), digest]);
  const [pem, key] = await selfSigned("tunnelplane challenge", 1, (x509) => [
    new x509.SubjectAlternativeNameExtension([{ type: "dns", value: name }]),
    new x509.Extension(ACME_IDENTIFIER, true, proof),
  ]);
  return certificateOf(pem, key, name);
}
