import ipaddr from "ipaddr.js";
import { oncePer } from "../../contract/core/once";
import { counted } from "../../contract/core/spelling";
import { mistakeInCidr, plainAddress } from "../../contract/formats/cidr";
import { blocksOf, type Interval, type Intervals, less, sameIntervals, union } from "./intervals";

/** A set of addresses of both families, independent of the networks that it was made from. */
export interface NetworkSet {
  readonly v4: Intervals;
  readonly v6: Intervals;
}

/** The networks of a set in CIDR notation. */
export interface NetworkList {
  readonly v4: readonly string[];
  readonly v6: readonly string[];
  /** The number of networks that are not listed; counts at most 1,000 of each family. */
  readonly more?: number;
}

const FAMILIES = { v4: 32, v6: 128 } as const;
export type Family = keyof typeof FAMILIES;
const NAMES = { v4: "IPv4", v6: "IPv6" } as const;

export const whole = (family: Family): Interval => [0n, (1n << BigInt(FAMILIES[family])) - 1n];

export const EVERYONE: NetworkSet = { v4: [whole("v4")], v6: [whole("v6")] };
export const NOBODY: NetworkSet = { v4: [], v6: [] };

/** The addresses of the allowed networks without those of the denied ones. Skips invalid networks. */
export function networkSet(allowed: Iterable<string>, denied: Iterable<string> = []): NetworkSet {
  const [allow, deny] = [byFamily(allowed), byFamily(denied)];
  return { v4: less(union(allow.v4), union(deny.v4)), v6: less(union(allow.v6), union(deny.v6)) };
}

/** Expressions may have bits set behind the mask of a network; Envoy looks at none of them. */
export function masked(cidr: string): string {
  const [address, bits] = ipaddr.parseCIDR(plainAddress(cidr));
  const family = address.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`;
}

function byFamily(networks: Iterable<string>): Record<Family, Interval[]> {
  const found: Record<Family, Interval[]> = { v4: [], v6: [] };
  for (const network of networks) {
    if (mistakeInCidr(network) !== undefined) continue;
    const [address = "", mask] = plainAddress(network).split("/");
    const bytes = ipaddr.parse(address).toByteArray();
    const family = bytes.length === 4 ? "v4" : "v6";
    const first = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    found[family].push([first, first + (1n << BigInt(FAMILIES[family] - Number(mask))) - 1n]);
  }
  return found;
}

export const sameNetworks = (a: NetworkSet, b: NetworkSet): boolean =>
  sameIntervals(a.v4, b.v4) && sameIntervals(a.v6, b.v6);

/** The addresses that one set admits and the other does not. */
export const beyond = (set: NetworkSet, subtracted: NetworkSet): NetworkSet => ({
  v4: less(set.v4, subtracted.v4),
  v6: less(set.v6, subtracted.v6),
});

/** The addresses that both sets admit. */
export const inBoth = (a: NetworkSet, b: NetworkSet): NetworkSet => beyond(a, beyond(EVERYONE, b));

/** The addresses of all of some sets. */
export const unionOf = (sets: readonly NetworkSet[]): NetworkSet => ({
  v4: union(sets.flatMap(({ v4 }) => v4)),
  v6: union(sets.flatMap(({ v6 }) => v6)),
});

export const isNobody = (set: NetworkSet): boolean => sameNetworks(set, NOBODY);
export const isEveryone = (set: NetworkSet): boolean => sameNetworks(set, EVERYONE);

/** The names of the families that are completely in the set. */
export const wholeFamilies = (set: NetworkSet): string[] =>
  (["v4", "v6"] as const)
    .filter((family) => sameIntervals(set[family], [whole(family)]))
    .map((family) => NAMES[family]);

/** The limit on listed networks of one family; the rest is counted. */
const MAX_LISTED = 100;
// Denying one IPv6 address leaves up to 128 networks, and a policy may have a thousand rules. Nobody needs
// the exact count.
const MAX_COUNTED = 1000;

/** The networks of a set; cached, because many addresses have the same set. */
export const listNetworks = oncePer((set: NetworkSet) => listed(set, MAX_LISTED));

function listed(set: NetworkSet, most: number): "everyone" | "nobody" | NetworkList {
  if (isEveryone(set)) return "everyone";
  if (isNobody(set)) return "nobody";
  const [v4, v6] = [listFamily(set, "v4", most), listFamily(set, "v6", most)];
  const more = v4.more + v6.more;
  return { v4: v4.listed, v6: v6.listed, ...(more > 0 && { more }) };
}

function listFamily(set: NetworkSet, family: Family, most: number): { listed: string[]; more: number } {
  const networks: string[] = [];
  let count = 0;
  for (const [first, mask] of blocksOf(set[family], FAMILIES[family])) {
    if (count < most) networks.push(`${printed(first, family)}/${mask}`);
    if (++count === MAX_COUNTED) break;
  }
  return { listed: networks, more: count - networks.length };
}

/**
 * All networks of a set in CIDR notation, those of IPv4 first. One IPv6 address that is left out takes 128.
 */
export const networksIn = (set: NetworkSet): string[] =>
  (["v4", "v6"] as const).flatMap((family) =>
    [...blocksOf(set[family], FAMILIES[family])].map(([first, mask]) => `${printed(first, family)}/${mask}`),
  );

/** The text of an address. */
export function printed(address: bigint, family: Family): string {
  const length = FAMILIES[family] / 8;
  const bytes = Array.from({ length }, (_, index) =>
    Number((address >> BigInt(8 * (length - 1 - index))) & 255n),
  );
  return ipaddr.fromByteArray(bytes).toString();
}

/** A set in a few words, for sentences. */
export function networksText(set: NetworkSet): string {
  const list = listed(set, 3);
  if (typeof list === "string") return list;
  const shown = [...list.v4, ...list.v6].join(", ");
  return list.more ? `${shown} and ${counted(list.more, "more network")}` : shown;
}

/** A text that is equal for equal sets. */
export const keyOf = (set: NetworkSet): string =>
  [set.v4, set.v6].map((family) => family.map(([first, last]) => `${first}-${last}`).join(",")).join(";");
