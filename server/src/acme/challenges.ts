import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import type { AcmeSettings } from "./acmeSettings";
import type { Authorization } from "./client";
import { updateText } from "./dnsUpdate";
import { AcmeProblem } from "./problem";

/** A challenge that the server answers. */
export interface Challenge {
  readonly type: "dns-01" | "tls-alpn-01";
  /** Where the authority is told that the answer is there. */
  readonly url: string;
  /** Of the TXT record, without a last dot; or of the domain. */
  readonly name: string;
  /** The text of the record, or the digest that gateways show: SHA-256 in base64url. */
  readonly value: string;
  /** The event with which gateways learn of it; absent for DNS. */
  readonly sequence?: number;
  /** Since when it is answered, in milliseconds since 1970; null for one whose record is yet to be made. */
  readonly since: number | null;
  readonly isTold: boolean;
}

/** How long a program may take. */
const COMMAND_MS = 30_000;
const MAX_OUTPUT = 64 * 1024;
const MAX_REASON_LENGTH = 500;

/** Which challenge answers an authorization. A wildcard is proved only in DNS (RFC 8555 section 7.1.3). */
export function chosen(
  { challenges }: Authorization,
  { domain, tries }: { readonly domain: string; readonly tries: number },
  { dnsCommand, dnsServer }: AcmeSettings,
) {
  const inDns = dnsCommand !== undefined || dnsServer !== undefined;
  const isWildcard = domain.startsWith("*.");
  if (isWildcard && !inDns)
    throw new AcmeProblem(
      "not_possible",
      `${domain} is a wildcard, which is proved only in DNS: an operator sets --acme-dns-command or --acme-dns-server`,
    );
  // Where one way fails, the other one may not.
  const ways = isWildcard
    ? ["dns-01"]
    : inDns && tries % 2 === 1
      ? ["dns-01", "tls-alpn-01"]
      : ["tls-alpn-01", "dns-01"];
  const possible = ways.filter((way) => way !== "dns-01" || inDns);
  for (const way of possible) {
    const found = challenges.find(({ type, token }) => type === way && token !== undefined);
    if (found) return found;
  }
  throw new AcmeProblem(
    "not_possible",
    `the authority offers ${challenges.map(({ type }) => type).join(", ")} for ${domain}, and this server answers ${possible.join(" and ")}`,
  );
}

export const digestOf = (keyAuthorization: string): string =>
  createHash("sha256").update(keyAuthorization).digest("base64url");

export const recordName = (domain: string): string => `_acme-challenge.${domain.replace(/^\*\./, "")}`;

/** Makes the TXT record of a challenge, or takes it away. */
export async function changeRecord(
  action: "present" | "cleanup",
  { name, value }: Pick<Challenge, "name" | "value">,
  { dnsCommand, dnsServer }: AcmeSettings,
): Promise<void> {
  if (dnsCommand !== undefined) await run(dnsCommand, [action, name, value]);
  else if (dnsServer) await updateText(dnsServer, action, name, value);
}

const run = (program: string, args: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    execFile(program, [...args], { timeout: COMMAND_MS, maxBuffer: MAX_OUTPUT }, (error, _out, stderr) => {
      if (!error) return resolve();
      const why = error.killed ? `it took more than ${COMMAND_MS / 1000} s` : stderr.trim() || error.message;
      reject(
        new AcmeProblem("dns_command", `${program} ${args[0]} failed: ${why}`.slice(0, MAX_REASON_LENGTH)),
      );
    });
  });
