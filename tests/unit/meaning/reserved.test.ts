import { findingsOf, freshClaims, UNKNOWN, type World, type WorldObject } from "@tunnelplane/sdk/meaning";
import { agent, declared, foreign, ref, site } from "./worlds";

const NOW = new Date("2026-11-26T00:00:00Z");
const world = (...objects: WorldObject[]): World => ({ objects });
const domain = (name: string): WorldObject => ({
  kind: "reserved_domain",
  id: `rd_${name}`,
  fields: { domain: name },
});
const edge = (...hostports: string[]): WorldObject => ({
  kind: "tls_edge",
  id: "edgtls_one",
  fields: { hostports },
});
const certificate = (not_after: string): WorldObject => ({
  kind: "tls_certificate",
  id: "cert_one",
  fields: { not_after },
});
const rules = (before: World, after: World, now = NOW) =>
  findingsOf(before, after, { now }).map(({ rule, severity }) => `${rule} ${severity}`);

describe("Findings about values that one object alone may have", () => {
  const theirs = foreign("tls_edge", "edgtls_theirs", { hostports: ["a.example.com:443"] });
  const ours = (...hostports: string[]) => declared("tls_edge", "ours", { hostports });
  const taken = (before: World, after: World) =>
    findingsOf(before, after).filter(({ rule }) => rule === "already-taken");

  it("name who has a new hostport, domain, port or path, and nobody who gives it up in the same change", () => {
    const domain = { domain: "*.example.com" };
    const route = { edge_id: ref("https_edge", "site"), match_type: "path_prefix", match: "/" };
    const cases: [held: WorldObject, claimed: WorldObject, sentence: RegExp][] = [
      [
        theirs,
        ours("A.example.com:443"),
        /^`A\.example\.com:443` of `ours` is held by the TLS edge `a.example.com:443` \(edgtls_theirs\)/,
      ],
      [
        foreign("reserved_domain", "rd_1", domain),
        declared("reserved_domain", "all", domain),
        /^`\*\.example\.com` of `all` is held by the reserved domain/,
      ],
      [
        foreign("tcp_edge", "edgtcp_1", { hostports: ["a.test:20001"] }),
        declared("tcp_edge", "db", { hostports: ["b.test:20001"] }),
        /^`b\.test:20001` of `db` is held by the TCP edge/,
      ],
      [
        foreign("https_edge_route", "rt_1", route),
        declared("https_edge_route", "r", route),
        /^`\/` of `r` is held by the HTTPS edge route/,
      ],
    ];
    for (const [held, claimed, sentence] of cases) {
      const common = [agent, ...site().slice(0, 1)];
      const found = taken(world(...common, held), world(...common, held, claimed));
      expect(found).to.have.length(1);
      expect(found[0]).to.include({ severity: "high", certain: true });
      expect(found[0]?.sentence).to.match(sentence);
      expect(taken(world(...common, held), world(...common, claimed))).to.deep.equal([]);
      expect(taken(world(...common, held, claimed), world(...common, held, claimed))).to.deep.equal([]);
    }
    expect(
      taken(world(ours("a.example.com:443")), world(ours("a.example.com:443", "b.example.com:443"))),
    ).to.eql([]);
    expect(taken(world(theirs), world(theirs, { ...ours(), fields: { hostports: UNKNOWN } }))).to.eql([]);
  });

  it("say only that there is one of an object that this world does not hold", () => {
    const after = { ...world(ours("a.example.com:443")), taken: ["hostport a.example.com:443"] };
    const [found] = taken(world(), after);
    expect(found?.sentence).to.equal(
      "`a.example.com:443` of `ours` is taken by an object that cannot be seen from here: the server refuses it.",
    );
    expect(freshClaims(world(), after)).to.deep.equal([
      { kind: "tls_edge", texts: ["hostport a.example.com:443"], body: { hostports: ["a.example.com:443"] } },
    ]);
    expect(freshClaims(world(theirs), world(theirs, ours("a.example.com:443")))).to.deep.equal([]);
  });
});

describe("Findings about reserved domains and their certificates", () => {
  it("name none where no edge serves it, or another reserved domain still covers it", () => {
    const served = edge("app.example.com:443");
    expect(rules(world(domain("example.com"), served), world(served))).to.deep.equal([]);
    const both = world(domain("app.example.com"), domain("*.example.com"), served);
    expect(rules(both, world(domain("*.example.com"), served))).to.deep.equal([]);
  });

  it("name a certificate that ends within 30 days, and severely one that has ended", () => {
    expect(rules(world(), world(certificate("2026-12-27T00:00:00Z")))).to.deep.equal([]);
    expect(rules(world(), world(certificate("2026-12-25T00:00:00Z")))).to.deep.equal([
      "certificate-ends-soon low",
    ]);
    expect(rules(world(), world(certificate("2026-11-25T00:00:00Z")))).to.deep.equal([
      "certificate-ends-soon high",
    ]);
  });
});
