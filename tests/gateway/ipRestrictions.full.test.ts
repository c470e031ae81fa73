import { ended, type Running, runningForEachTest } from "./running";

describe("IP restrictions on a real gateway", () => {
  const running = runningForEachTest();
  const policy = async ({ api }: Running, cidr: string) => {
    const { id } = await api.ipPolicies.create({});
    await api.ipPolicyRules.create({ ip_policy_id: id, cidr, action: "allow" });
    return id;
  };
  const restrict = async (one: Running, type: "endpoints" | "agent", cidr: string) =>
    one.api.ipRestrictions.create({ type, enforced: true, ip_policy_ids: [await policy(one, cidr)] });

  it("of type agent end the sessions of agents that come from elsewhere, and refuse new ones", async () => {
    const one = running.now;
    one.runWithAgents();
    await one.api.tlsEdges.create({ hostports: ["app.example.com:443"] });
    await one.gateway.logged("edge applied");
    const { key } = await one.credential();
    const agent = one.agent(key, "app.example.com:443");
    await one.becomes(200, "app.example.com");
    const { id } = await restrict(one, "agent", "10.0.0.0/8");
    await ended(agent);
    expect(await ended(one.agent(key, "app.example.com:443"))).to.equal(255);
    expect(one.gateway.log).to.contain("an IP restriction of the account keeps agents of this address out");
    await one.api.ipRestrictions.delete(id);
    let again = one.agent(key, "app.example.com:443");
    await one.until(async () => {
      if (again.exitCode !== null) again = one.agent(key, "app.example.com:443");
      return (await one.ask("app.example.com")).status === 200;
    });
  });
});
