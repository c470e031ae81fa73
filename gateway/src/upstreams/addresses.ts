import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** A network in CIDR notation, read. */
export interface Network {
  readonly cidr: string;
  readonly start: IpAddress;
  readonly bits: number;
}

/** @throws if the text is not a network */
export function networkOf(cidr: string): Network {
  const [start, bits] = ipaddr.parseCIDR(cidr);
  return { cidr, start, bits };
}

/** Addresses of both families have `match`; the types ask for one family. */
export const isIn = (address: IpAddress, { start, bits }: Network): boolean =>
  address.kind() === start.kind() && (address as ipaddr.IPv6).match(start as ipaddr.IPv6, bits);

/** Networks of IPv6 whose addresses hold one of IPv4, and the bytes where it is. */
const WRAPPING = [
  ["::ffff:0:0/96", 12], // IPv4-mapped, RFC 4291
  ["::ffff:0:0:0/96", 12], // IPv4-translated, RFC 2765
  ["::/96", 12], // IPv4-compatible, RFC 4291
  ["64:ff9b::/96", 12], // NAT64, RFC 6052
  ["64:ff9b:1::/48", 12], // NAT64 of one's own network, RFC 8215
  ["2002::/16", 2], // 6to4, RFC 3056
].map(([cidr, at]) => ({ network: networkOf(String(cidr)), at: Number(at) }));
const TEREDO = networkOf("2001::/32");

/**
 * The addresses at which a connection to an address can end: that one, the IPv4 address in it, or one of this
 * machine.
 */
export function meaningsOf(text: string): readonly IpAddress[] {
  const address = ipaddr.parse(text.replace(/%.*$/, ""));
  if (address.toNormalizedString() === "0.0.0.0") return [address, ipaddr.parse("127.0.0.1")];
  if (address.kind() === "ipv4") return [address];
  if (address.range() === "unspecified") return [address, ipaddr.parse("::1"), ipaddr.parse("127.0.0.1")];
  if (address.range() === "loopback") return [address];
  const bytes = address.toByteArray();
  const held = WRAPPING.filter(({ network }) => isIn(address, network)).map(({ at }) =>
    bytes.slice(at, at + 4),
  );
  if (isIn(address, TEREDO)) held.push(bytes.slice(12).map((byte) => byte ^ 0xff)); // RFC 4380
  return [address, ...held.map((four) => ipaddr.fromByteArray(four))];
}

/** The addresses of this machine, besides those of the loopback interface. */
export function ownAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return new Set(all.map(({ address }) => ipaddr.parse(address.replace(/%.*$/, "")).toNormalizedString()));
}
