import { findingsOf, type World } from "@tunnelplane/sdk/meaning";
import fc from "fast-check";
import { agent, edge, policy, restricted, world } from "./worlds";

/** Networks within 10.0.0.0/29 and 2001:db8::/125, whole families and halves: every address can be tried. */
const smallCidr = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.integer({ min: 29, max: 32 }), fc.integer({ min: 0, max: 7 }))
      .map(([mask, host]) => `10.0.0.${align(host, 32 - mask)}/${mask}`),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.integer({ min: 125, max: 128 }), fc.integer({ min: 0, max: 7 }))
      .map(([mask, host]) => `2001:db8::${align(host, 128 - mask)}/${mask}`),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom("0.0.0.0/0", "::/0", "0.0.0.0/1", "128.0.0.0/1", "::/1", "8000::/1"),
  },
);
const align = (host: number, bits: number): number => (host >> bits) << bits;

const rules = fc.uniqueArray(fc.tuple(fc.constantFrom("allow", "allow", "deny"), smallCidr), {
  maxLength: 8,
  selector: ([, cidr]) => cidr,
});
type Rules = [string, string][];

/** Every address that these rules tell apart: the small networks, and one for each region outside. */
const ADDRESSES = {
  v4: [...Array.from({ length: 8 }, (_, host) => 0x0a000000 + host), 0x01020304, 0xc0000201].map(BigInt),
  v6: [...Array.from({ length: 8 }, (_, host) => (0x20010db8n << 96n) + BigInt(host)), 5n, 0xfe80n << 112n],
};

/** The slow and obvious way: is there a rule that allows the address, and none that denies it? */
function admits(of: Rules | undefined, family: "v4" | "v6", address: bigint): boolean {
  if (!of) return true;
  const matches = ([, cidr]: [string, string]) => {
    const [text = "", mask = ""] = cidr.split("/");
    const bits = family === "v4" ? 32n : 128n;
    if (text.includes(":") !== (family === "v6")) return false;
    return address >> (bits - BigInt(mask)) === numberOf(text) >> (bits - BigInt(mask));
  };
  const matching = of.filter(matches).map(([action]) => action);
  return matching.includes("allow") && !matching.includes("deny");
}

/** The texts above have at most one `::`, at their end but for one group. */
function numberOf(text: string): bigint {
  if (!text.includes(":")) return text.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [head = "", tail = ""] = text.split("::");
  const groups = head === "" ? [] : head.split(":");
  return groups.reduce(
    (sum, group, index) => sum | (BigInt(`0x${group}`) << BigInt(112 - 16 * index)),
    BigInt(`0x${tail || 0}`),
  );
}

const FAMILIES = ["v4", "v6"] as const;
const everyAddress = FAMILIES.flatMap((family) => ADDRESSES[family].map((address) => ({ family, address })));

const limited = (of: Rules | undefined): World =>
  of
    ? world(agent, edge(restricted("office")), policy("office", ...of.map((rule) => rule.join(" "))))
    : world(agent, edge());

const NUMBER = { numRuns: 500 };

describe("Networks, for any rules", () => {
  const either = fc.option(rules as fc.Arbitrary<Rules>, { nil: undefined, freq: 8 });

  it("are widened if and only if another address is admitted; opened if a whole family is, and was not before", () => {
    fc.assert(
      fc.property(either, either, (was, is) => {
        const gained = everyAddress.some(
          ({ family, address }) => admits(is, family, address) && !admits(was, family, address),
        );
        const lost = everyAddress.some(
          ({ family, address }) => admits(was, family, address) && !admits(is, family, address),
        );
        const whole = (of: Rules | undefined, family: "v4" | "v6") =>
          ADDRESSES[family].every((address) => admits(of, family, address));
        const opened = FAMILIES.some((family) => whole(is, family) && !whole(was, family));
        const found = findingsOf(limited(was), limited(is)).filter(({ address }) => address !== undefined);
        const expected = [
          opened && "network-opened",
          gained && !opened && "network-widened",
          lost && "network-narrowed",
        ];
        expect(found.map(({ rule }) => rule).sort()).to.deep.equal(expected.filter(Boolean).sort());
      }),
      NUMBER,
    );
  });
});
