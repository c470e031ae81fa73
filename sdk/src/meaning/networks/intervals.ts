/** A range of addresses as numbers, from the first to the last, both included. */
export type Interval = readonly [first: bigint, last: bigint];

/** Sorted, neither overlapping nor adjacent. So two sets are equal if and only if their intervals are. */
export type Intervals = readonly Interval[];

/** The union of intervals in any order. */
export function union(intervals: Iterable<Interval>): Intervals {
  const sorted = [...intervals].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  const merged: [bigint, bigint][] = [];
  for (const [first, last] of sorted) {
    const previous = merged.at(-1);
    if (previous && first <= previous[1] + 1n) {
      if (last > previous[1]) previous[1] = last;
    } else merged.push([first, last]);
  }
  return merged;
}

/** The addresses of one set that are not in the other. */
export function less(from: Intervals, taken: Intervals): Intervals {
  const left: Interval[] = [];
  let next = 0;
  for (const [first, last] of from) {
    let start = first;
    while (next < taken.length && (taken[next] as Interval)[1] < start) next++;
    for (let index = next; index < taken.length && start <= last; index++) {
      const [gone, until] = taken[index] as Interval;
      if (gone > last) break;
      if (gone > start) left.push([start, gone - 1n]);
      start = until + 1n;
    }
    if (start <= last) left.push([start, last]);
  }
  return left;
}

export const sameIntervals = (a: Intervals, b: Intervals): boolean =>
  a.length === b.length &&
  a.every(([first, last], index) => first === b[index]?.[0] && last === b[index]?.[1]);

/** The fewest networks that make up the set, as `[first address, length of the mask]`. */
export function* blocksOf(intervals: Intervals, bits: number): Generator<readonly [bigint, number]> {
  for (const [first, last] of intervals) {
    for (let start = first; start <= last; ) {
      // The largest block that is aligned at the start and fits into the rest.
      const aligned = start === 0n ? bits : trailingZeros(start);
      const size = Math.min(aligned, (last - start + 1n).toString(2).length - 1);
      yield [start, bits - size];
      start += 1n << BigInt(size);
    }
  }
}

function trailingZeros(value: bigint): number {
  const digits = value.toString(2);
  return digits.length - 1 - digits.lastIndexOf("1");
}
