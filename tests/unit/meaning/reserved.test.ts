import { findingsOf, type World, type WorldObject } from "@tunnelplane/sdk/meaning";
import { expect } from "chai";

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
