import { X509Certificate } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

/** Where systems keep the authorities they trust: Debian and Alpine, Fedora, SUSE. */
const SYSTEM_TRUST = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
];
const IN_PEM = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

/**
 * The file of trusted authorities, by default the system's. Envoy refuses a wrong file as a whole.
 * @throws saying what is wrong with the file
 */
export function trustFile(named: string | undefined): string {
  const file = named ?? SYSTEM_TRUST.find(existsSync);
  if (!file || !existsSync(file))
    throw new Error(
      `the authorities to trust are not at ${file ?? SYSTEM_TRUST.join(", ")}: name a PEM file with --trust`,
    );
  if (!holdsCertificates(file))
    throw new Error(
      `the authorities to trust are not in ${file}: certificates in PEM were expected, from -----BEGIN CERTIFICATE----- on; name another file with --trust`,
    );
  return resolve(file);
}

function holdsCertificates(file: string): boolean {
  try {
    const found = readFileSync(file, "utf8").match(IN_PEM) ?? [];
    for (const pem of found) new X509Certificate(pem);
    return found.length > 0;
  } catch {
    return false;
  }
}
