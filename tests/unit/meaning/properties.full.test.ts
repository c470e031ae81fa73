import {
  beyond,
  compare,
  exposureOf,
  findingsOf,
  isNobody,
  networkSet,
  sameNetworks,
  UNKNOWN,
  type World,
  type WorldObject,
} from "@tunnelplane/sdk/meaning";
import { expect } from "chai";
import fc from "fast-check";
import { agent, declared, edge, exposureAt, policy, restricted, world } from "./worlds";

/**
 * Networks within 10.0.0.0/29 and 2001:db8::/125, or whole families and halves of them: few enough to try
 * every address.
 */
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

/**
 * Every address that these rules can tell apart: those within the small networks, and one for each region
 * outside of them, which the halves and families treat as a whole.
 */
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

  it("are equal as sets if and only if they admit the same addresses", () => {
    const sets = (of: Rules) =>
      networkSet(
        ...(["allow", "deny"].map((kind) =>
          of.filter(([action]) => action === kind).map(([, cidr]) => cidr),
        ) as [string[], string[]]),
      );
    fc.assert(
      fc.property(rules as fc.Arbitrary<Rules>, rules as fc.Arbitrary<Rules>, (one, other) => {
        const same = everyAddress.every(
          ({ family, address }) => admits(one, family, address) === admits(other, family, address),
        );
        expect(sameNetworks(sets(one), sets(other))).to.equal(same);
      }),
      NUMBER,
    );
  });

  it("are listed as networks that make up the same set", () => {
    fc.assert(
      fc.property(rules as fc.Arbitrary<Rules>, (of) => {
        const { networks } = exposureAt(limited(of));
        const listed: Rules | undefined =
          networks === "everyone"
            ? undefined
            : networks === "nobody"
              ? []
              : [...networks.v4, ...networks.v6].map((cidr) => ["allow", cidr]);
        const allowed = listed && networkSet(listed.map(([, cidr]) => cidr));
        const expected = networkSet(
          of.filter(([action]) => action === "allow").map(([, cidr]) => cidr),
          of.filter(([action]) => action === "deny").map(([, cidr]) => cidr),
        );
        // Networks that are not listed are counted; listed ones are admitted in any case.
        if (allowed && typeof networks === "object" && networks.more)
          expect(isNobody(beyond(allowed, expected))).to.equal(true);
        else if (allowed) expect(sameNetworks(allowed, expected)).to.equal(true);
        else
          expect(
            exposureAt(
              limited([
                ["allow", "0.0.0.0/0"],
                ["allow", "::/0"],
              ]),
            ).networks,
          ).to.equal("everyone");
      }),
      NUMBER,
    );
  });
});

const NAMES = ["a", "b", "c", "d"];
const name = fc.constantFrom(...NAMES);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const backendRef = fc.oneof(
  fc
    .tuple(fc.constantFrom("failover_backend", "weighted_backend", "tunnel_group_backend"), name)
    .map(([kind, which]) => `urn:${kind}:${which}`),
  fc.constant("bkdtg_dangling"),
  fc.constant(UNKNOWN),
);
const someModule = <T>(fields: fc.Arbitrary<T>) =>
  fc.option(
    fc
      .tuple(fields, maybe(fc.constantFrom(true, false, UNKNOWN)))
      .map(([of, enabled]) => ({ ...of, enabled })),
    { nil: null },
  );
const backend = someModule(fc.record({ backend_id: backendRef }));
const someNames = (kind: string) =>
  fc.uniqueArray(name, { maxLength: 3 }).map((names) => names.map((one) => `urn:${kind}:${one}`));
const ip_restriction = someModule(fc.record({ ip_policy_ids: someNames("ip_policy") }));
const mutual_tls = someModule(fc.record({ certificate_authority_ids: someNames("certificate_authority") }));
const tls_termination = someModule(
  fc.record({
    terminate_at: fc.constantFrom("edge", "upstream"),
    min_version: fc.constantFrom("1.2", "1.3", null),
  }),
);
const policies = someModule(
  fc.record({
    inbound: fc.array(
      fc.record({
        name,
        expressions: fc.uniqueArray(fc.constantFrom("true", "false"), { maxLength: 2 }),
        actions: fc.constant([{ type: "deny", config: {} }]),
      }),
      { maxLength: 2 },
    ),
  }),
);
const hostports = fc.uniqueArray(
  fc.constantFrom("a.example.com:443", "B.example.com:443", "*.example.com:443"),
  { maxLength: 2 },
);
const kinds: Record<string, fc.Arbitrary<Record<string, unknown>>> = {
  tls_edge: fc.record({ hostports, backend, ip_restriction, mutual_tls, tls_termination, policies }),
  https_edge: fc.record({ hostports, mutual_tls }),
  https_edge_route: fc.record({
    edge_id: name.map((of) => `urn:https_edge:${of}`),
    match_type: fc.constantFrom("exact_path", "path_prefix"),
    match: fc.constantFrom("/", "/a"),
    backend,
    ip_restriction,
    policies,
  }),
  ip_policy: fc.constant({}),
  ip_policy_rule: fc.record({
    ip_policy_id: name.map((of) => `urn:ip_policy:${of}`),
    action: fc.constantFrom("allow", "deny"),
    cidr: fc.oneof(smallCidr, fc.constant(UNKNOWN)),
  }),
  certificate_authority: fc.record({
    subject_common_name: name,
    not_after: fc.constantFrom("2026-07-01T00:00:00Z", "2036-01-01T00:00:00Z"),
  }),
  tunnel_group_backend: fc.record({ labels: fc.dictionary(name, name, { minKeys: 1, maxKeys: 2 }) }),
  failover_backend: fc.record({ backends: fc.array(backendRef, { maxLength: 3 }) }),
  weighted_backend: fc.record({
    backends: fc.dictionary(backendRef, fc.integer({ min: 0, max: 3 }), { maxKeys: 3 }),
  }),
  tunnel_credential: fc.record({
    acl: fc.uniqueArray(fc.constantFrom("bind:*.example.com", "bind:a.example.com:443", "bind:a=*", "*"), {
      maxLength: 2,
    }),
  }),
  api_key: fc.record({
    owner_id: fc.constantFrom("usr_1", UNKNOWN),
    expires_at: maybe(fc.constant("2026-07-01T00:00:00Z")),
  }),
};

const object: fc.Arbitrary<WorldObject> = fc.oneof(
  ...Object.entries(kinds).map(([kind, fields]) =>
    fc.tuple(name, fields).map(([of, value]) => declared(kind, of, value)),
  ),
);
const anyWorld: fc.Arbitrary<World> = fc
  .tuple(fc.uniqueArray(object, { maxLength: 16, selector: ({ urn }) => urn }), fc.boolean())
  .map(([objects, partial]) => ({ objects, partial }));

/**
 * The same in another order: objects, and lists whose order means nothing. That of a failover is where
 * traffic goes, and the first of policies that answers decides.
 */
function shuffled({ objects, ...rest }: World): World {
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed).reverse();
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, item]) => [key, key === "inbound" ? item : reversed(item)])
        .reverse(),
    );
  };
  const fieldsOf = ({ kind, fields }: WorldObject) =>
    kind === "failover_backend" ? fields : (reversed(fields) as typeof fields);
  return { ...rest, objects: objects.map((one) => ({ ...one, fields: fieldsOf(one) })).reverse() };
}

describe("Worlds, with any objects", () => {
  const now = new Date("2026-06-01T00:00:00Z");

  it("give no finding if they are equal, in any order of objects and lists", () => {
    fc.assert(
      fc.property(anyWorld, (one) => {
        for (const other of [structuredClone(one), shuffled(one)]) {
          const { findings, addresses } = compare(one, other, { now });
          expect(findings.map(({ sentence }) => sentence)).to.deep.equal([]);
          expect(addresses).to.deep.equal([]);
        }
      }),
      NUMBER,
    );
  });

  it("give the same exposure and the same findings in any order", () => {
    fc.assert(
      fc.property(anyWorld, anyWorld, (before, after) => {
        expect(exposureOf(shuffled(after))).to.deep.equal(exposureOf(after));
        expect(compare(shuffled(before), shuffled(after), { now })).to.deep.equal(
          compare(before, after, { now }),
        );
      }),
      NUMBER,
    );
  });

  it("never give one address two rows", () => {
    fc.assert(
      fc.property(anyWorld, (of) => {
        const addresses = exposureOf(of).map(({ address }) => address);
        expect(new Set(addresses).size).to.equal(addresses.length);
      }),
      NUMBER,
    );
  });
});

describe("A large world", () => {
  it("of 1,000 resources has a finding for each of 250 edges that a change of one policy opens", () => {
    const large = (open: boolean): World =>
      world(
        policy("office", "allow 10.0.0.0/8", ...(open ? ["allow 0.0.0.0/0"] : [])),
        Array.from({ length: 250 }, (_, n) => [
          declared("tls_edge", `edge${n}`, {
            hostports: [`host${n}.example.com:443`],
            ...restricted("office"),
            backend: { backend_id: `urn:tunnel_group_backend:group${n}` },
          }),
          declared("tunnel_group_backend", `group${n}`, { labels: { group: String(n) } }),
          declared("tunnel_credential", `credential${n}`, { acl: [`bind:group=${n}`] }),
          declared("api_key", `key${n}`, { owner_id: "usr_1", expires_at: "2036-01-01T00:00:00Z" }),
        ]).flat(),
      );
    expect(findingsOf(large(false), large(true))).to.have.length(250);
  });
});
