import { expect } from "chai";
import { refusedBeside } from "../support/refusal";
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

  it("of type endpoints limit the callers of every edge, besides its own restriction", async () => {
    const one = running.now;
    one.run("--dev-ca", "--allow-upstreams", "127.0.0.0/8");
    await one.site("app.example.com");
    const own = { ip_restriction: { ip_policy_ids: [await policy(one, "127.0.0.0/8")] } };
    await one.tlsEdge("db.example.com", one.upstream.address, own);
    const [app, db] = ["app", "db"].map((name) => async (status: number) => {
      await one.becomes(status, `${name}.example.com`);
      return status;
    }) as [(status: number) => Promise<number>, (status: number) => Promise<number>];
    const both = async () => Math.max(await app(200), await db(200));
    const { allowed } = await refusedBeside({
      refused: async () => {
        await restrict(one, "endpoints", "10.0.0.0/8");
        await db(0);
        return app(403);
      },
      as: 403,
      allowed: both,
    });
    expect(allowed).to.equal(200);
    // Several admit whom any of them admits.
    const near = await restrict(one, "endpoints", "127.0.0.0/8");
    await both();
    await one.api.ipRestrictions.delete(near.id);
    await app(403);
    for await (const { id } of one.api.ipRestrictions.list())
      await one.api.ipRestrictions.update(id, { enforced: false });
    await app(200);
  });

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
