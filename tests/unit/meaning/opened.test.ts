import type { AccessChange, AccessComparison, Finding, World, WorldObject } from "@tunnelplane/sdk/meaning";
import { compareAccess, findingsOf } from "@tunnelplane/sdk/meaning";
import { CHANGES, inBody, token, tokenOf, twoRoutes } from "./changes";
import {
  agent,
  authority,
  declared,
  edge,
  inbound,
  mutual,
  policy,
  ref,
  restricted,
  route,
  rulesOf,
  SITE,
  serving,
  site,
  world,
} from "./worlds";

type Changed = AccessChange & Partial<AccessComparison["opened"][number]>;
const changeInShort = ({ address, was, new: isNew, everyone, example }: Changed): string => {
  const { request, before, after } = example;
  const who = `${everyone ? " for everyone" : ""}${isNew ? ", new" : ""}`;
  return `${request.method} ${request.address}${request.path}: ${was} ${before.status ?? before.outcome} → ${address} ${after.status ?? after.outcome}${who}`;
};

/** Findings in short: rule, severity, address. */
const findingsInShort = (before: World, after: World): string[] =>
  findingsOf(before, after).map(({ rule, severity, address }) => `${rule} ${severity} ${address}`);

describe("a change of requests", () => {
  for (const [change, before, after, expected] of CHANGES)
    it(`is compared and found where ${change}`, () => {
      const access = compareAccess(before, after);
      for (const kind of ["opened", "closed", "moved"] as const)
        if (expected[kind]) {
          expect(access[kind].map(changeInShort), kind).to.eql(expected[kind]);
          expect(access.verdict).to.equal(kind === "opened" ? "opens" : "opens nothing");
          expect(access.unproved).to.eql([]);
        }
      const findings = findingsOf(before, after);
      const [first] = findings.filter(({ rule }) => (expected.among ?? [rule]).join().includes(rule));
      if (expected.findings) expect(findingsInShort(before, after)).to.eql(expected.findings);
      if (expected.among) expect(findingsInShort(before, after)).to.include.members([...expected.among]);
      if (typeof expected.sentence === "string") expect(first?.sentence).to.equal(expected.sentence);
      else if (expected.sentence) expect(first?.sentence).to.match(expected.sentence);
      if (expected.verdict) expect(access.sentence).to.match(expected.verdict);
    });

  it("has an example that both worlds decide, where it is proved", () => {
    const [finding] = findingsOf(world(site(token)), world(site()));
    expect(finding).to.include({ rule: "token-dropped", proved: true });
    expect(finding?.example?.before).to.include({ outcome: "refused", status: 401 });
    expect(finding?.example?.after).to.include({ outcome: "answered", status: 200 });
    expect(finding?.example?.request).to.include({ address: SITE, method: "GET", path: "/" });
    const partial = (objects: WorldObject[]): World => ({ objects, partial: true });
    const unsure = findingsOf(partial([agent]), partial([agent, edge()]));
    expect(unsure[0]).to.include({ rule: "opened-unprotected", proved: false });
  });

  it("names the cause of a stop: a module that no gateway has, or the credential that is gone", () => {
    const causeOf = (findings: readonly Finding[]) =>
      findings.find(({ rule }) => rule === "traffic-stopped")?.cause;
    expect(causeOf(findingsOf(twoRoutes, world(site(), route("/b", inBody))))).to.include({
      name: "path_prefix /b",
      property: "jwt_validation",
    });
    const group = declared("tunnel_group_backend", "web", { labels: { service: "web" } });
    const to = edge({ backend: { backend_id: ref("tunnel_group_backend", "web") } });
    const found = findingsOf(world(agent, group, to), world(group, to));
    expect(found.map(({ rule }) => rule)).to.eql(["traffic-stopped", "credential-revoked"]);
    expect(causeOf(found)).to.include({ kind: "tunnel_credential", name: "agent" });
  });

  it("lets nobody in at an edge that no gateway can serve any more", () => {
    const upstream = { tls_termination: { terminate_at: "upstream" } };
    const partners = [agent, authority("partners")];
    const before = world(partners, edge(mutual("partners")));
    expect(rulesOf(before, world(partners, edge({ ...mutual("partners"), ...upstream })))).to.have.members([
      "termination-moved",
      "traffic-stopped",
    ]);
    expect(rulesOf(before, world(partners, edge(upstream)))).to.include("client-certificate-dropped");
    const tested = inbound([["size(req.path) > 3"], "deny"]);
    expect(rulesOf(world(site(token)), world(site(tested)))).not.to.include("token-dropped");
  });

  it("is no more than medium where a check falls and others still let nobody in, and uncertain where that is not proved", () => {
    const dropping = (...rules: string[]) => {
      const office = policy("office", ...rules);
      const before = world(
        agent,
        authority("ca"),
        edge({ ...restricted("office"), ...mutual("ca") }),
        office,
      );
      return findingsOf(before, world(agent, authority("ca"), edge(restricted("office")), office))[0];
    };
    expect(dropping("allow 10.0.0.0/8")).to.include({ rule: "client-certificate-dropped", severity: "high" });
    expect(dropping("deny 10.0.0.0/8")).to.include({
      rule: "client-certificate-dropped",
      severity: "medium",
    });
    const large = inbound([
      ['req.headers["x-a"].matches("a.{14}b") || req.headers["x-a"].matches("b.{14}a")'],
      "deny",
    ]);
    const unproved = findingsOf(world(site({ ...token, ...large })), world(site(large)));
    expect(unproved[0]).to.include({ rule: "token-dropped", severity: "high" });
    const filter = { user_agent_filter: { allow: [], deny: ["a.{14}b", "b.{14}a"] } };
    const agents = findingsOf(world(site(filter)), world(site()));
    expect(agents[0]).to.include({ rule: "user-agents-changed", certain: false });
  });

  it("is high where a network admits 2^16 times as many addresses, or is shorter than /8 or /16", () => {
    const from = (...rules: string[]) => world(agent, edge(restricted("office")), policy("office", ...rules));
    const severityOf = (was: string[], is: string[]) =>
      findingsOf(from(...was), from(...is)).map(({ rule, severity }) => `${rule} ${severity}`)[0];
    for (const [was, is, expected] of [
      [["allow 10.0.0.0/8"], ["allow 0.0.0.0/1"], "high"],
      [["allow 10.0.0.0/8"], ["allow 8.0.0.0/7"], "high"],
      [["allow 10.0.0.0/8"], ["allow 10.0.0.0/8", "allow 11.0.0.0/8"], "high"],
      [["allow 10.0.0.0/8"], ["allow 10.0.0.0/8", "allow 12.0.0.0/8"], "medium"],
      [["allow 10.0.0.0/8"], ["allow 10.0.0.0/8", "allow 192.168.0.0/16"], "medium"],
      [["allow 10.0.0.1/32"], ["allow 10.0.0.0/16"], "high"],
      [["allow 10.0.0.1/32"], ["allow 10.0.0.0/17"], "medium"],
      [["allow 2001:db8::/32"], ["allow 2000::/15"], "high"],
      [["allow 2001:db8::/32"], ["allow 2001::/16"], "high"],
      [["allow 2001:db8::/32"], ["allow 2001:d00::/24"], "medium"],
    ] as const)
      expect(severityOf([...was], [...is]), `${was} → ${is}`).to.equal(`network-widened ${expected}`);
  });

  it("is told in one line", () => {
    const said = (before: World, after: World) => compareAccess(before, after).sentence;
    expect(said(world(site()), world(site(token)))).to.match(
      /^Opens nothing \(proved over \d+ combinations at 1 address\)\.$/,
    );
    expect(said(world(agent), world(agent, edge(), serving("b", "b.test:443")))).to.equal(
      "Opens 2 new addresses, and nothing that was closed.",
    );
    const claiming = (...accepted: string[]) => world(site(tokenOf({ require_claims: { team: accepted } })));
    expect(said(claiming("a"), claiming("a", "b"))).to.equal(
      "Opens: `GET /` from 198.51.100.7 with a token of `https://issuer.test/`: 403 → 200.",
    );
    const denied = inbound([['req.headers["x-team"] != "a"'], "deny"]);
    expect(said(world(site(denied)), world(site()))).to.equal("Opens: `GET /` from 198.51.100.7: 403 → 200.");
  });
});
