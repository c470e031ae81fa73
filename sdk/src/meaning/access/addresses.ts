import { type Interval, union } from "../networks/intervals";
import { type Family, type NetworkSet, NOBODY, printed, whole } from "../networks/networkSet";

/** Addresses for examples (RFC 5737, RFC 3849). They represent their pieces. */
const FAMILIAR = { v4: 0xc6336407n, v6: 0x20010db8000000000000000000000007n };

/** The caller's address in requests, if no check asks for it. */
export const ANYWHERE = printed(FAMILIAR.v4, "v4");

export const familyOf = (address: string): Family => (address.includes(":") ? "v6" : "v4");

/** Addresses that are in the same sets, and one of them. */
export interface Apart {
  readonly from: string;
  readonly networks: NetworkSet;
}

/**
 * One address for each combination of sets that addresses of a family can be in. Those of examples come
 * first, then the lowest.
 */
export function addressesApart(sets: readonly NetworkSet[]): Apart[] {
  return (["v4", "v6"] as const).flatMap((family) => {
    const pieces = new Map<string, { address: bigint; readonly intervals: Interval[] }>();
    for (const [inside, piece] of piecesOf(sets, family)) {
      const address = familiarIn(piece, family) ?? somewhereIn(piece, family);
      const known = pieces.get(inside);
      known?.intervals.push(piece);
      if (!known) pieces.set(inside, { address, intervals: [piece] });
      else if (address === FAMILIAR[family]) known.address = address;
    }
    const isFamiliar = (address: bigint) => Number(address === FAMILIAR[family]);
    return [...pieces.values()]
      .sort((a, b) => isFamiliar(b.address) - isFamiliar(a.address) || (a.address < b.address ? -1 : 1))
      .map(({ address, intervals }) => ({
        from: printed(address, family),
        networks: { ...NOBODY, [family]: union(intervals) },
      }));
  });
}

/** Between two borders of sets, all addresses are in the same sets. */
function* piecesOf(sets: readonly NetworkSet[], family: Family): Generator<[inside: string, Interval]> {
  const [start, end] = whole(family);
  const borders = new Map<bigint, number[]>([[start, []]]);
  const crossAt = (address: bigint, set: number) => {
    if (address <= end) borders.set(address, [...(borders.get(address) ?? []), set]);
  };
  for (const [index, set] of sets.entries())
    for (const [first, last] of set[family]) {
      crossAt(first, index);
      crossAt(last + 1n, index);
    }
  const inside = sets.map(() => false);
  const sorted = [...borders].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [index, [first, crossed]] of sorted.entries()) {
    for (const set of crossed) inside[set] = !inside[set];
    yield [inside.map(Number).join(""), [first, (sorted[index + 1]?.[0] ?? end + 1n) - 1n]];
  }
}

const familiarIn = ([first, last]: Interval, family: Family): bigint | undefined =>
  first <= FAMILIAR[family] && FAMILIAR[family] <= last ? FAMILIAR[family] : undefined;

/** No caller has an address below these (RFC 791, RFC 4291). */
const LOWEST = { v4: 0x01000001n, v6: 0x20000000000000000000000000000001n };

/** Avoids the first address of a network if there is another: people take it for the network itself. */
const somewhereIn = ([first, last]: Interval, family: Family): bigint =>
  first < LOWEST[family] && LOWEST[family] <= last ? LOWEST[family] : last - first > 1n ? first + 1n : first;
