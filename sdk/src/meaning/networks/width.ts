import { blocksOf, type Intervals } from "./intervals";
import type { NetworkSet } from "./networkSet";

/** The factor by which a set has to grow to count as much wider. */
const MUCH = 1n << 16n;

/** Networks with shorter masks than these belong to no office and no provider. */
const SHORT = { v4: { bits: 32, mask: 8 }, v6: { bits: 128, mask: 16 } } as const;

/** Whether a set admits at least 2^16 times as many addresses, or newly a network shorter than /8 or /16. */
export function isMuchWider(was: NetworkSet, is: NetworkSet): boolean {
  const families = ["v4", "v6"] as const;
  const sizes = [was, is].map((set) => families.map((family) => sizeOf(set[family])));
  const [before = [], after = []] = sizes;
  const total = (all: readonly bigint[]) => all.reduce((sum, size) => sum + size, 0n);
  const isMuch = (few: bigint, many: bigint) => many > few && many >= few * MUCH;
  return (
    isMuch(total(before), total(after)) ||
    families.some((_, index) => before[index] && isMuch(before[index] ?? 0n, after[index] ?? 0n)) ||
    families.some((family) => hasShort(was[family], is[family], SHORT[family]))
  );
}

const sizeOf = (intervals: Intervals): bigint =>
  intervals.reduce((sum, [first, last]) => sum + last - first + 1n, 0n);

function hasShort(
  was: Intervals,
  is: Intervals,
  { bits, mask: shortest }: { readonly bits: number; readonly mask: number },
): boolean {
  const room = 1n << BigInt(bits - shortest + 1);
  const large = is.filter(([first, last]) => last - first + 1n >= room);
  for (const [start, mask] of blocksOf(large, bits)) {
    if (mask >= shortest) continue;
    const end = start + (1n << BigInt(bits - mask)) - 1n;
    if (!was.some(([first, last]) => first <= start && end <= last)) return true;
  }
  return false;
}
