import ipaddr from "ipaddr.js";

// Belongs to the public range, yet is answered inside of Azure by the host of the virtual machine.
const AZURE_HOST = "168.63.129.16";

/** Whether an IP address is this machine's own, which nobody else can reach. */
export const isLoopback = (ip: string): boolean => ipaddr.isValid(ip) && ipaddr.process(ip).range() === "loopback";

/** Whether an address belongs to a host on the internet: neither to this machine, nor its networks, nor a cloud's metadata. */
export function isPublic(address: string): boolean {
  // process() reads an IPv4 address that is wrapped in IPv6 as what it is.
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "unicast" && address !== AZURE_HOST;
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
