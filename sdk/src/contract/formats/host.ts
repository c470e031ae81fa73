import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { z } from "zod";
import type { UniqueKey } from "../core/definition";
import { conditioned, distinct, MAX_ENTRIES, text } from "../core/fields";
import { present } from "../core/narrow";

/** A domain name of 253 characters, "*.", a colon and a port. */
export const MAX_ADDRESS_LENGTH = 261;

/**
 * Whether a name is a domain name (RFC 1123, without a trailing dot), with a leading `*.` if that is allowed.
 */
export function isDomain(name: string, { wildcard = false } = {}): boolean {
  const domain = wildcard && name.startsWith("*.") ? name.slice(2) : name;
  const labels = domain.split(".");
  return (
    domain.length <= 253 &&
    labels.every((label) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i.test(label)) &&
    !/^\d+$/.test(present(labels.at(-1)))
  );
}

/** Whether a text is a port, 1 to 65535, without leading zeros. */
export const isPort = (port: string): boolean => /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65535;

/**
 * Whether a text is `<host>:<port>`, the host being a domain, an IPv4 address or an IPv6 address in brackets.
 */
export function isAddress(text: string, { wildcard = false } = {}): boolean {
  const at = text.lastIndexOf(":");
  if (at < 0 || !isPort(text.slice(at + 1))) return false;
  const host = text.slice(0, at);
  // A zone belongs to one machine, and Envoy takes none.
  if (host.startsWith("[") && host.endsWith("]")) return isIP(host.slice(1, -1)) === 6 && !host.includes("%");
  return isIP(host) === 4 || isDomain(host, { wildcard });
}

/** A hostport of an edge, `<host>:<port>`; the host is a domain or `*.<domain>`. */
const hostport = () =>
  conditioned(text(MAX_ADDRESS_LENGTH), (value) => {
    const at = value.lastIndexOf(":");
    if (at < 0)
      return `must be "<host>:<port>", for example "${isDomain(value) ? value : "app.example.com"}:443"`;
    if (!isPort(value.slice(at + 1))) return "must end in a port from 1 to 65535";
    const ascii = inAscii(value);
    if (ascii !== undefined) return `must be written in ASCII, as names are in DNS and TLS: "${ascii}"`;
    return isDomain(value.slice(0, at), { wildcard: true })
      ? undefined
      : 'must begin with a domain name or "*.<domain>"';
  }).meta({ examples: ["app.example.com:443"] });

/** A hostport with letters beyond ASCII as it is written in DNS (RFC 5891); undefined for all others. */
function inAscii(hostport: string): string | undefined {
  if (!/[^ -~]/.test(hostport)) return undefined;
  const [, wildcard = "", name = "", port = ""] = /^(\*\.)?(.*)(:[^:]*)$/.exec(hostport) ?? [];
  const ascii = domainToASCII(name);
  return isDomain(ascii) ? `${wildcard}${ascii}${port}` : undefined;
}

/** The hostports of an edge. */
export const hostports = () =>
  distinct(z.array(hostport()).max(MAX_ENTRIES), hostportKey).default([]).meta({
    description:
      "The hostports that the edge serves, each `<host>:<port>`. No two edges may serve the same one.",
  });

/** A hostport of a TCP edge: connections say no name, so a wildcard would mean nothing. */
const tcpHostport = () =>
  conditioned(text(MAX_ADDRESS_LENGTH), (value) => {
    if (isAddress(value)) return undefined;
    const ascii = inAscii(value);
    if (ascii !== undefined) return `must be written in ASCII, as names are in DNS: "${ascii}"`;
    if (value.startsWith("*."))
      return "must not begin with a wildcard: a TCP connection says no name; use a domain name or an IP address";
    return isPort(value.slice(value.lastIndexOf(":") + 1))
      ? 'must begin with a domain name, an IPv4 address, or an IPv6 address in brackets, such as "[2001:db8::1]:20001"'
      : 'must be "<host>:<port>" with a port from 1 to 65535, for example "db.example.com:20001"';
  }).meta({ examples: ["db.example.com:20001"] });

/** The hostports of a TCP edge. */
export const tcpHostports = () =>
  distinct(z.array(tcpHostport()).max(MAX_ENTRIES), hostportKey).default([]).meta({
    description:
      "The hostports that the edge serves, each `<host>:<port>`: a domain name or an IP address, and a port of the server's `--tcp-ports`. All connections to the port come here, so no other edge may have it.",
  });

/** The port of a hostport. */
export const portOf = (hostport: string): number => Number(hostport.slice(hostport.lastIndexOf(":") + 1));

/** A hostport is unique across all kinds of edges. */
export const uniqueHostports = (sent: { hostports: readonly string[] }): UniqueKey[] =>
  sent.hostports.map((served, index) => ({
    scope: "hostport",
    key: hostportKey(served),
    path: ["hostports", index],
    taken: "is served by another edge already; remove it there first",
  }));

/** The scope of the keys of ports that a TCP edge has for itself. */
export const TCP_PORT = "tcp_edge_port";

/** A port of a TCP edge is its own. */
export const uniquePorts = (sent: { readonly hostports: readonly string[] }): UniqueKey[] => {
  const ports = sent.hostports.map(portOf);
  return ports.flatMap((port, index) =>
    ports.indexOf(port) === index
      ? [
          {
            scope: TCP_PORT,
            key: String(port),
            path: ["hostports", index],
            taken: `has a port that another TCP edge serves already; connections say no name, so use another port than ${port}`,
          },
        ]
      : [],
  );
};

/** Equal for hostports that differ in case only: host names are case-insensitive (RFC 4343). */
const hostportKey = (hostport: string): string => hostport.toLowerCase();
