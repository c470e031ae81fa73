import { BlockList, isIPv6 } from "node:net";
import type { Decision, DecisionRequest } from "@tunnelplane/sdk/meaning";
import { decisions, evaluateGuarantees, isLetIn } from "@tunnelplane/sdk/meaning";
import fc from "fast-check";
import { figure, LIMIT_MS, size } from "../../support/size";
import { request } from "./generatedRequests";
import { change } from "./generatedWorlds";

const RUNS = { seed: 20261123, numRuns: size(150, 10_000) };
const requests = fc.array(request, { minLength: 100, maxLength: 100 });
const carried = fc.constantFrom("any", "none", "none", "required");
const guarantee = fc.record({
  expect: fc.constantFrom("refused", "refused", "answered"),
  mode: fc.constant("enforce"),
  addresses: fc.subarray(
    [
      ...["*:443/a", "*:*", "*.w.test:443", "*.test:*/a/b", "a.w.test:443", "c.w.test:443/a"],
      ...["c.w.test:*", "www.x.test:443/b", "z.test:443"],
    ],
    { minLength: 1, maxLength: 2 },
  ),
  methods: fc.subarray(["GET", "POST"]),
  networks: fc.subarray(["10.0.0.0/8", "198.51.100.0/24"]),
  except_networks: fc.subarray(["10.1.0.0/16", "2001:db8::/32"]),
  client_certificate: carried,
  token: carried,
  session: carried,
});
type Guarantee = typeof guarantee extends fc.Arbitrary<infer G> ? G : never;
const guarantees = fc.array(guarantee, { minLength: 3, maxLength: 3 });

describe("The state of a guarantee", function () {
  this.timeout(LIMIT_MS);

  it("is no `holds` while a request at random breaks it, and no `broken` without one that does", () => {
    const seen = { holds: 0, broken: 0, unproved: 0, sampled: 0 };
    fc.assert(
      fc.property(change, guarantees, requests, ([world], all, samples) => {
        const decider = decisions(world);
        const states = evaluateGuarantees(world, all);
        for (const [index, { state, example }] of states.entries()) {
          const one = all[index] as Guarantee;
          seen[state]++;
          if (state === "holds")
            for (const sample of samples.map((any, number) => near(one, any, number))) {
              const decision = decider.decide(sample);
              if (!covers(one, sample, decision)) continue;
              seen.sampled++;
              expect(breaks(one, decision), said(one, sample, decision)).to.equal(false);
            }
          if (!example) continue;
          const decision = decider.decide(example.request);
          expect(decision).to.eql(example.decision);
          expect(breaks(one, decision), said(one, example.request, decision)).to.equal(true);
          expect(covers(one, example.request, decision), said(one, example.request, decision)).to.equal(true);
        }
      }),
      RUNS,
    );
    figure(`${JSON.stringify(seen)} of ${RUNS.numRuns} worlds`);
    expect(seen.unproved / (3 * RUNS.numRuns)).to.be.below(0.02);
  });
});

/** Every second request at random, taken to a place that the guarantee is about. */
function near({ addresses, methods }: Guarantee, any: DecisionRequest, number: number): DecisionRequest {
  const [name = "", port, prefix = ""] =
    /^([^:]+):([^/]+)(\/.*)?$/.exec(addresses[number % addresses.length] ?? "")?.slice(1) ?? [];
  if (number % 2 === 0) return any;
  const [host = "", at] = any.address.split(":");
  const label = host.split(".")[0];
  return {
    ...any,
    address: `${name === "*" ? host : name.replace("*", label ?? "a")}:${port === "*" ? at : port}`,
    path: `${prefix}${any.path}`.replace("//", "/"),
    ...(methods[0] && { method: methods[0] }),
  };
}

const said = (one: Guarantee, sample: DecisionRequest, { sentence }: Decision): string =>
  `${JSON.stringify(one)} ${JSON.stringify(sample)}: ${sentence}`;

const breaks = ({ expect: wanted }: Guarantee, decision: Decision): boolean =>
  decision.outcome !== "unknown" && isLetIn(decision) === (wanted === "refused");

const MODULES = { client_certificate: "mutual_tls", token: "jwt_validation", session: "oidc" } as const;
/** A wildcard serves names one label below it, and closes deeper ones. */
const isServed = ({ by, sentence }: Decision): boolean => by !== null && !/more labels/.test(sentence);

/** Written from the words of the contract alone. */
function covers(one: Guarantee, sample: DecisionRequest, decision: Decision): boolean {
  const [host = "", port = ""] = sample.address.split(":");
  const { path = "/", method = "GET", from } = sample;
  const isAt = one.addresses.some((address) => {
    const [, name = "", at, prefix = "/"] = /^([^:]+):([^/]+)(\/.*)?$/.exec(address) ?? [];
    const isNamed = name === "*" || name === host || (name.startsWith("*.") && host.endsWith(name.slice(1)));
    return isNamed && (at === "*" || at === port) && path.startsWith(prefix);
  });
  // A pattern covers what is declared.
  const isDeclared =
    one.addresses.some((address) => address.split("/")[0] === `${host}:${port}`) || isServed(decision);
  const isIn = (networks: readonly string[]) => {
    const list = new BlockList();
    for (const network of networks) {
      const [first = "", bits] = network.split("/");
      list.addSubnet(first, Number(bits), isIPv6(first) ? "ipv6" : "ipv4");
    }
    return list.check(from, isIPv6(from) ? "ipv6" : "ipv4");
  };
  const isFrom = (one.networks.length === 0 || isIn(one.networks)) && !isIn(one.except_networks);
  const lacks = (Object.keys(MODULES) as (keyof typeof MODULES)[]).some((name) => {
    const isEnd = !isLetIn(decision) && decision.by?.field === MODULES[name];
    return one[name] === "none" ? Boolean(sample[name]) : one[name] === "required" && isEnd;
  });
  return isAt && isDeclared && isFrom && !lacks && (one.methods.length === 0 || one.methods.includes(method));
}
