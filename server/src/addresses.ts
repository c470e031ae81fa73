import ipaddr from "ipaddr.js";

/** Whether an IP address is this machine's own, which nobody else can reach. */
export const isLoopback = (ip: string): boolean => ipaddr.isValid(ip) && ipaddr.process(ip).range() === "loopback";

/**
 * What one customer of a provider has: an IPv4 address, or an IPv6 network of 64 bits. A text that is no
 * address, which a proxy may pass on, stands for itself.
 */
export function customerOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === "ipv4" ? address.toString() : address.toByteArray().slice(0, 8).join(".");
}
