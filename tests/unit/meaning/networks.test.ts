import { aspectTexts, compareAccess, UNKNOWN } from "@tunnelplane/sdk/meaning";
import {
  agent,
  declared,
  edge,
  exposureAt,
  onlyFinding,
  policy,
  ref,
  restricted,
  rulesOf,
  site,
  world,
} from "./worlds";

const limited = (...rules: string[]) => world(agent, edge(restricted("office")), policy("office", ...rules));

describe("The set of admitted networks", () => {
  it("is the union of the allowed networks without the denied ones, in any notation", () => {
    expect(
      exposureAt(limited("allow 10.0.0.0/9", "allow 10.128.0.0/9", "deny 10.0.0.0/10")).networks,
    ).to.deep.equal({ v4: ["10.64.0.0/10", "10.128.0.0/9"], v6: [] });
    expect(exposureAt(limited("allow 0.0.0.0/0", "allow ::/0")).networks).to.equal("everyone");
    expect(exposureAt(limited("deny 10.0.0.0/8")).networks).to.equal("nobody");
    expect(exposureAt(world(agent, edge({ ip_restriction: { ip_policy_ids: [] } }))).networks).to.equal(
      "nobody",
    );
    expect(exposureAt(world(agent, edge())).networks).to.equal("everyone");
    expect(
      exposureAt(world(agent, edge({ ip_restriction: { enabled: false, ip_policy_ids: [] } }))).networks,
    ).to.equal("everyone");
  });

  it("counts a network that is not known yet as any network", () => {
    const rule = declared("ip_policy_rule", "later", {
      ip_policy_id: ref("ip_policy", "office"),
      action: "allow",
      cidr: UNKNOWN,
    });
    const before = limited("allow 10.0.0.0/8");
    const finding = onlyFinding(before, { objects: [...before.objects, rule] });
    expect(finding).to.include({ rule: "network-widened", certain: false });
    expect(exposureAt({ objects: [...before.objects, rule] }).unknown).to.deep.equal(["networks"]);
    // Neither does it say that nobody is admitted.
    const open = world(agent, edge());
    const later = world(agent, edge(restricted("office")), policy("office"));
    const unsettled = { objects: [...later.objects, rule] };
    const row = exposureAt(unsettled);
    expect(row).to.deep.include({ networks: { v4: [], v6: [] }, unknown: ["networks"] });
    expect(aspectTexts(row).find(({ field }) => field === "networks")?.text).to.equal("not known");
    expect(onlyFinding(open, unsettled)).to.deep.include({
      rule: "network-narrowed",
      certain: false,
      sentence:
        "`app.example.com:443` may no longer admit all that it admitted (before: everyone): its networks are not known yet.",
      before: "everyone",
      after: null,
    });
    expect(onlyFinding(open, world(agent, edge({ ip_restriction: UNKNOWN })))).to.include({
      rule: "network-narrowed",
      certain: false,
    });
    expect(onlyFinding(unsettled, open).sentence).to.equal(
      "`app.example.com:443` now admits every IPv4 and IPv6 address (before: not known).",
    );
    expect(compareAccess(open, unsettled).unproved).to.deep.equal([
      { address: "app.example.com:443", reason: "Which networks are admitted is not wholly known." },
    ]);
  });

  it("belongs to each route, not to the edge", () => {
    const before = world(site(), policy("office", "allow 10.0.0.0/8"));
    const after = world(site(restricted("office")), policy("office", "allow 10.0.0.0/8"));
    expect(exposureAt(after, "www.example.com:443/").networks).to.deep.equal({ v4: ["10.0.0.0/8"], v6: [] });
    expect(rulesOf(before, after)).to.deep.equal(["network-narrowed"]);
  });
});
