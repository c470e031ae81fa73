import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { conditioned, text } from "../core/fields";
import { present } from "../core/narrow";

/** An IPv4 or IPv6 network in CIDR notation, with a mask and without host bits. */
export const cidr = () => conditioned(text(64), mistakeInCidr).meta({ examples: ["192.0.2.0/24"] });

/** An error text for an invalid network in CIDR notation; undefined if it is valid. */
export function mistakeInCidr(value: string): string | undefined {
  const [address = "", mask, ...rest] = value.split("/");
  const version = address.includes("%") ? 0 : isIP(address); // a zone belongs to one machine
  if (!version || rest.length > 0)
    return 'must be a network in CIDR notation, for example "192.0.2.0/24" or "2001:db8::/32"';
  const widest = version === 4 ? 32 : 128;
  if (mask === undefined) return `has no mask: write "${address}/${widest}" for this one address`;
  if (!/^(0|[1-9]\d{0,2})$/.test(mask) || Number(mask) > widest)
    return `must have a mask from /0 to /${widest}`;
  const network = networkOf(value);
  return ipaddr.parse(address).toString() === network.toString()
    ? undefined
    : `has bits set after its mask: write "${network.toString()}/${mask}" for the network`;
}

/**
 * An address or a network in its one form: IPv4 within IPv6 (RFC 4291 section 2.5.5.2), as sockets for both
 * families write it, is IPv4. Any other text stays as it is.
 */
export function plainAddress(text: string): string {
  if (!/ffff/i.test(text)) return text; // most addresses, quickly
  const [address = "", mask, ...rest] = text.split("/");
  if (isIP(address) !== 6 || address.includes("%") || rest.length > 0) return text;
  const whole = ipaddr.IPv6.parse(address);
  if (!whole.isIPv4MappedAddress()) return text;
  if (mask === undefined) return whole.toIPv4Address().toString();
  const isWithin = /^\d{1,3}$/.test(mask) && Number(mask) >= MAPPED_BITS && Number(mask) <= 128;
  return isWithin ? `${whole.toIPv4Address()}/${Number(mask) - MAPPED_BITS}` : text;
}

/** Of `::ffff:0:0/96`, which holds all addresses of IPv4. */
const MAPPED_BITS = 96;

/**
 * Equal for two notations of a network: `2001:DB8::/32`, `2001:db8:0::/32`; `192.0.2.0/24`,
 * `::ffff:192.0.2.0/120`. A mistake has its own text.
 */
export const cidrKey = (cidr: string): string => (mistakeInCidr(cidr) === undefined ? textOf(cidr) : cidr);

/**
 * Every network that contains an address, in the form of {@link cidrKey}, the widest first: 33 for IPv4, 129
 * for IPv6. Empty if the text is not an address.
 */
export function networksAround(text: string): string[] {
  const address = plainAddress(text);
  const version = address.includes("%") ? 0 : isIP(address);
  if (!version) return [];
  return Array.from({ length: version === 4 ? 33 : 129 }, (_, mask) => textOf(`${address}/${mask}`));
}

function textOf(cidr: string): string {
  const plain = plainAddress(cidr);
  return `${networkOf(plain).toString()}/${plain.split("/")[1]}`;
}

const networkOf = (cidr: string): ipaddr.IPv4 | ipaddr.IPv6 =>
  isIP(present(cidr.split("/")[0])) === 4
    ? ipaddr.IPv4.networkAddressFromCIDR(cidr)
    : ipaddr.IPv6.networkAddressFromCIDR(cidr);
