import { present } from "@tunnelplane/sdk/contract";
import ipaddr from "ipaddr.js";

/** Reads `<host>:<port>`; an IPv6 address stands in brackets. */
export function parseListen(listen: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(listen);
  const port = Number(match?.[3]);
  if (!match || port > 65535)
    throw new Error(
      `Cannot listen on ${JSON.stringify(listen)}: expected "<host>:<port>", for example "127.0.0.1:4040"`,
    );
  return { host: present(match[1] ?? match[2]), port };
}

// In the public range, but inside of Azure the virtual machine's host answers it.
const AZURE_HOST = "168.63.129.16";
const INTERNET = ipaddr.IPv6.parseCIDR("2000::/3");
const PROTOCOLS = ipaddr.IPv6.parseCIDR("2001::/23");

/** Whether an IP address is a loopback address. */
export const isLoopback = (ip: string): boolean =>
  ip === "127.0.0.1" || (ipaddr.isValid(ip) && ipaddr.process(ip).range() === "loopback");

/**
 * Whether an address is on the internet: not this machine, not its private networks, not a cloud's metadata
 * service. Refuses addresses that embed another one (NAT64, 6to4, Teredo), because that may be a private one.
 */
export function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text); // unwraps an IPv4 address inside of IPv6
  if (address.range() !== "unicast") return false;
  // Only 2000::/3 of IPv6 belongs to the internet, and the first /23 of that is reserved for protocols (RFC
  // 6890).
  if (address instanceof ipaddr.IPv6) return address.match(INTERNET) && !address.match(PROTOCOLS);
  return address.toString() !== AZURE_HOST;
}

/**
 * The address range of one customer: an IPv4 address, or an IPv6 network of 64 bits. A proxy may pass on a
 * text that is not an address; it is returned unchanged.
 */
export function customerOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === "ipv4" ? address.toString() : address.toByteArray().slice(0, 8).join(".");
}
