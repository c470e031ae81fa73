import ipaddr from "ipaddr.js";

// Belongs to the public range, yet is answered inside of Azure by the host of the virtual machine.
const AZURE_HOST = "168.63.129.16";
const INTERNET = ipaddr.IPv6.parseCIDR("2000::/3");
const PROTOCOLS = ipaddr.IPv6.parseCIDR("2001::/23");

/** Whether an IP address is this machine's own, which nobody else can reach. */
export const isLoopback = (ip: string): boolean => ip === "127.0.0.1" || (ipaddr.isValid(ip) && ipaddr.process(ip).range() === "loopback");

/**
 * Whether an address belongs to a host on the internet: neither to this machine, nor its networks, nor a cloud's metadata.
 * What carries another address inside of it (NAT64, 6to4, Teredo) is none of them, because that may be any of these.
 */
export function isPublic(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  const address = ipaddr.process(text); // reads an IPv4 address that is wrapped in IPv6 as what it is
  if (address.range() !== "unicast") return false;
  // Of IPv6 only 2000::/3 has been given to the internet, and of that the first /23 to protocols (RFC 6890).
  if (address instanceof ipaddr.IPv6) return address.match(INTERNET) && !address.match(PROTOCOLS);
  return address.toString() !== AZURE_HOST;
}

/**
 * What one customer of a provider has: an IPv4 address, or an IPv6 network of 64 bits. A text that is no
 * address, which a proxy may pass on, stands for itself.
 */
export function customerOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  return address.kind() === "ipv4" ? address.toString() : address.toByteArray().slice(0, 8).join(".");
}
