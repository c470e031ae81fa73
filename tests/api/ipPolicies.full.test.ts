import { expect } from "chai";
import {
  expectRefused,
  hostport,
  inUse,
  invalid,
  notFound,
  serverOfThisFile,
  taken,
} from "../support/api/expect";
import { onEveryDatabase } from "../support/databases";

onEveryDatabase("IP policies and their rules", (start) => {
  const server = serverOfThisFile(start);
  const RULES = "/ip_policy_rules";
  const policy = () => server.created("/ip_policies", {});
  const ruleOf = (ip_policy_id: string, cidr: string, action = "allow") =>
    server.rest.post(RULES, { ip_policy_id, cidr, action });
  const created = (ip_policy_id: string, cidr: string) =>
    server.created(RULES, { ip_policy_id, cidr, action: "allow" });

  it("a network has one rule per policy, in any notation, and may have one in each policy", async () => {
    const [one, other] = [await policy(), await policy()];
    for (const [cidr, spelling] of [
      ["10.0.0.0/8", "10.0.0.0/8"],
      ["2001:db8::/32", "2001:0DB8:0:0::/32"],
      ["192.0.2.0/24", "::ffff:192.0.2.0/120"],
    ] as const) {
      await created(one.id, cidr);
      expectRefused(await ruleOf(one.id, spelling, "deny"), taken("cidr"));
      await created(other.id, cidr);
    }
  });

  it("if many add one network to a policy at the same time, one succeeds", async () => {
    const { id } = await policy();
    const answers = await Promise.all(Array.from({ length: 10 }, () => ruleOf(id, "10.0.0.0/8")));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, ...Array(9).fill(409)]);
  });

  it("a rule can be moved to another network, unless that has a rule already", async () => {
    const { id } = await policy();
    const { uri } = await created(id, "10.0.0.0/8");
    await created(id, "172.16.0.0/12");
    expect((await server.rest.patch(uri, { cidr: "192.168.0.0/16" })).body.cidr).to.equal("192.168.0.0/16");
    expect((await server.rest.patch(uri, { cidr: "192.168.0.0/16" })).status).to.equal(200);
    expectRefused(
      await server.unchangedBy(uri, () => server.rest.patch(uri, { cidr: "172.16.0.0/12" })),
      taken("cidr"),
    );
    expectRefused(
      await server.unchangedBy(uri, () => server.rest.patch(uri, { cidr: "10.0.0.1/8" })),
      invalid("cidr"),
    );
    await created(id, "10.0.0.0/8");
  });

  it("a policy is deleted together with its rules, and only with them", async () => {
    const [doomed, other] = [await policy(), await policy()];
    const rules = [await created(doomed.id, "10.0.0.0/8"), await created(doomed.id, "2001:db8::/32")];
    const { uri, id } = await created(other.id, "10.0.0.0/8");
    expect((await server.rest.delete(doomed.uri)).status).to.equal(204);
    for (const rule of rules) expectRefused(await server.rest.get(rule.uri), notFound);
    expect((await server.read(uri)).id).to.equal(id);
    const listed = (await server.read(RULES)).ip_policy_rules.map(
      (rule: { ip_policy: { id: string } }) => rule.ip_policy.id,
    );
    expect(listed).to.include(other.id).and.not.to.include(doomed.id);
  });

  it("after a rule is deleted, its policy remains and its network is free", async () => {
    const { id, uri } = await policy();
    await server.rest.delete((await created(id, "10.0.0.0/8")).uri);
    expect((await server.read(uri)).id).to.equal(id);
    await created(id, "10.0.0.0/8");
  });

  it("a policy that an edge uses is not deleted, nor are its rules, and the answer names the edge", async () => {
    const { id, uri } = await policy();
    const rule = await created(id, "10.0.0.0/8");
    const edge = await server.created("/edges/tls", {
      hostports: [hostport()],
      ip_restriction: { ip_policy_ids: [id] },
    });
    expectRefused(await server.unchangedBy(uri, () => server.rest.delete(uri)), inUse(edge.id));
    expect(await server.read(rule.uri)).to.deep.equal(rule);
    await server.rest.delete(edge.uri);
    expect((await server.rest.delete(uri)).status).to.equal(204);
  });
});
