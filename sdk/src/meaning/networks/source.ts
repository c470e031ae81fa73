import ipaddr from "ipaddr.js";
import { oncePer } from "../../contract/core/once";
import { mistakeInCidr, plainAddress } from "../../contract/formats/cidr";
import type { Intervals } from "./intervals";
import type { NetworkSet } from "./networkSet";

/** Where a caller is: at an address, or somewhere in a network. Numbers for IPv4, which are faster. */
export type Source =
  | { readonly family: "v4"; readonly first: number; readonly last: number }
  | { readonly family: "v6"; readonly first: bigint; readonly last: bigint };

/** Reads an address or a network in CIDR notation; undefined for another text. */
export function sourceOf(text: string): Source | undefined {
  const plain = numberOf(text);
  if (plain !== undefined) return { family: "v4", first: plain, last: plain };
  const known = sources.get(text);
  if (known) return known;
  const source = read(text);
  if (sources.size >= MAX_SOURCES) sources.clear();
  if (source) sources.set(text, source);
  return source;
}

const sources = new Map<string, Source>();
const MAX_SOURCES = 10_000;

/** The number of an IPv4 address in four decimal parts. */
function numberOf(text: string): number | undefined {
  let [whole, part, digits, parts] = [0, 0, 0, 0];
  for (let index = 0; index <= text.length; index++) {
    const code = index === text.length ? DOT : text.charCodeAt(index);
    if (code === DOT) {
      if (digits === 0 || part > 255 || ++parts > 4) return undefined;
      whole = whole * 256 + part;
      [part, digits] = [0, 0];
    } else {
      if (code < ZERO || code > ZERO + 9 || ++digits > 3) return undefined;
      part = part * 10 + code - ZERO;
    }
  }
  return parts === 4 ? whole : undefined;
}
const [DOT, ZERO] = [46, 48];

function read(given: string): Source | undefined {
  const text = plainAddress(given);
  const slash = text.indexOf("/");
  const address = slash < 0 ? text : text.slice(0, slash);
  if (slash >= 0 && mistakeInCidr(text) !== undefined) return undefined;
  const plain = numberOf(address);
  const bits = slash < 0 ? undefined : Number(text.slice(slash + 1));
  if (plain !== undefined) return { family: "v4", first: plain, last: plain + 2 ** (32 - (bits ?? 32)) - 1 };
  if (!ipaddr.IPv6.isValid(address) || address.includes("%")) return undefined;
  const first = ipaddr.IPv6.parse(address)
    .toByteArray()
    .reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return { family: "v6", first, last: first + (1n << BigInt(128 - (bits ?? 128))) - 1n };
}

const numbersOf = oncePer((intervals: Intervals) =>
  intervals.map(([first, last]) => [Number(first), Number(last)] as const),
);

/** Whether a caller is in a set of networks; undefined for a network that is partly in it. */
export const isIn = (source: Source, set: NetworkSet): boolean | undefined =>
  source.family === "v4"
    ? among(source.first, source.last, numbersOf(set.v4))
    : among<bigint>(source.first, source.last, set.v6);

function among<N extends number | bigint>(
  first: N,
  last: N,
  intervals: readonly (readonly [N, N])[],
): boolean | undefined {
  let [low, high] = [0, intervals.length];
  // The first interval that ends at or after the begin.
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((intervals[middle] as readonly [N, N])[1] < first) low = middle + 1;
    else high = middle;
  }
  const found = intervals[low];
  if (!found || found[0] > last) return false;
  return found[0] <= first && last <= found[1] ? true : undefined;
}

/** Whether the address of a socket is in a set of networks; one that cannot be read is not. */
export function holdsAddress(set: NetworkSet, address: string): boolean {
  const source = sourceOf(address);
  return source !== undefined && isIn(source, set) === true;
}
