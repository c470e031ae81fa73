import { readFileSync } from "node:fs";
import { messageOf } from "@tunnelplane/sdk/contract";
import type { AcmeSettings, DnsServer } from "../start";

/** The flags of `serve` about certificates that the server orders. */
export interface AcmeFlags {
  readonly acmeDirectory: string;
  readonly acmeContact?: string;
  readonly acmeEabKid?: string;
  readonly acmeEabKeyFile?: string;
  readonly acmeTrust?: string;
  readonly acmeDnsCommand?: string;
  readonly acmeDnsServer?: string;
  readonly acmeDnsZone?: string;
  readonly acmeDnsKeyFile?: string;
}

/** How certificates are ordered. @throws Error saying which flag is wrong */
export function acmeFrom(flags: AcmeFlags): AcmeSettings {
  const { acmeDirectory: directory, acmeContact, acmeTrust: trust, acmeDnsCommand } = flags;
  const contact = acmeContact?.replace(/^mailto:/i, "");
  if (!URL.canParse(directory) || new URL(directory).protocol !== "https:")
    throw new Error(`--acme-directory must be an https URL, got ${JSON.stringify(directory)}`);
  if (contact !== undefined && !/^[^\s@,?]+@[^\s@,?]+$/.test(contact))
    throw new Error(`--acme-contact must be an address of email, got ${JSON.stringify(contact)}`);
  const dnsServer = dnsServerIn(flags);
  if (acmeDnsCommand && dnsServer)
    throw new Error("--acme-dns-command and --acme-dns-server exclude each other: set one of them");
  return {
    directory,
    contact,
    binding: bindingIn(flags),
    trust: trust === undefined ? undefined : read("--acme-trust", trust),
    dnsCommand: acmeDnsCommand,
    dnsServer,
  };
}

function bindingIn({ acmeEabKid: keyId, acmeEabKeyFile: file }: AcmeFlags): AcmeSettings["binding"] {
  if (!keyId && !file) return undefined;
  if (!keyId || !file)
    throw new Error("--acme-eab-kid and --acme-eab-key-file belong together: set both, or none");
  const text = read("--acme-eab-key-file", file).trim();
  if (!/^[A-Za-z0-9_+/-]+=*$/.test(text))
    throw new Error(`--acme-eab-key-file ${file} must hold the key that the authority gave, in Base64`);
  return { keyId, key: Buffer.from(text, "base64") };
}

function dnsServerIn({
  acmeDnsServer: server,
  acmeDnsZone: zone,
  acmeDnsKeyFile: file,
}: AcmeFlags): DnsServer | undefined {
  if (!server && !zone && !file) return undefined;
  if (!server || !zone || !file)
    throw new Error(
      "--acme-dns-server, --acme-dns-zone and --acme-dns-key-file belong together: set all three",
    );
  const { groups } = /^(?:\[(?<six>[^\]]+)\]|(?<host>[^:[\]]+))(?::(?<port>\d{1,5}))?$/.exec(server) ?? {};
  const { six = "", host = six, port = "53" } = groups ?? {};
  if (host === "" || Number(port) < 1 || Number(port) > 65_535)
    throw new Error(`--acme-dns-server must be HOST or HOST:PORT, got ${JSON.stringify(server)}`);
  const [name, secret, ...more] = read("--acme-dns-key-file", file).trim().split(/\s+/);
  if (!name || !secret || more.length > 0 || !/^[A-Za-z0-9+/]+=*$/.test(secret))
    throw new Error(`--acme-dns-key-file ${file} must hold the key's name and its secret in Base64`);
  return { host, port: Number(port), zone, key: { name, secret: Buffer.from(secret, "base64") } };
}

function read(flag: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`${flag} cannot be read: ${messageOf(error)}`);
  }
}
