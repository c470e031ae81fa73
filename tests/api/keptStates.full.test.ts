import { setTimeout as sleep } from "node:timers/promises";
import { apiOnEveryDatabase, unique } from "../support/api/expect";
import { sitesOf } from "../support/api/sites";
import { execute } from "../support/databases";

apiOnEveryDatabase("The state of a guarantee", (server) => {
  const { site, only } = sitesOf(server);
  const read = (id: string) => server.read(`/guarantees/${id}`);
  /** Pages that only the office reaches, and a guarantee that reports whether that is so. */
  async function pages() {
    const address = `${unique("app")}.example.org:443`;
    const office = await only("10.0.0.0/8");
    const made = await site([address], { match: "/", ip_restriction: office.ip_restriction });
    const guarantee = await server.created("/guarantees", {
      expect: "refused",
      addresses: [address],
      except_networks: ["10.0.0.0/8"],
      mode: "report",
    });
    const route = `/edges/https/${made.edge.id}/routes/${made.routes[0].id}`;
    return { ...office, id: guarantee.id as string, guarantee, route };
  }

  it("is kept with its time, and judged again after a change that touches it and no other, never by a reader", async () => {
    const [one, other] = [await pages(), await pages()];
    const beside = await read(other.id);
    expect(await read(one.id)).to.deep.equal(one.guarantee);
    expect(one.guarantee.state).to.equal("holds");
    expect((await server.rest.delete(`${one.route}/ip_restriction`)).status).to.equal(204);
    const after = await read(one.id);
    expect(after.state).to.equal("broken");
    expect(after.judged_at > one.guarantee.judged_at).to.equal(true);
    expect(await read(other.id)).to.deep.equal(beside);
    // The answer is the kept state, even if judging the objects would give another.
    const kept = JSON.stringify({ state: "unproved", covered: 7 });
    const at = `where guarantee_id = '${other.id}'`;
    await execute(server.data, `update guarantee_state set state = '${kept}' ${at}`);
    expect(await read(other.id)).to.include({ state: "unproved", covered: 7 });
    await server.created("/ip_policy_rules", {
      ip_policy_id: other.policy,
      cidr: "10.1.0.0/16",
      action: "allow",
    });
    expect(await read(other.id)).to.include({ state: "holds", covered: 1 });
  });

  it("is not judged again where only the description of its guarantee changes", async () => {
    const { id, guarantee } = await pages();
    const path = `/guarantees/${id}`;
    const described = { description: "for the office", metadata: "{}" };
    expect((await server.rest.patch(path, described)).status).to.equal(200);
    expect(await read(id)).to.deep.equal({ ...guarantee, ...described });
    expect((await server.rest.patch(path, { expect: "answered" })).status).to.equal(200);
    expect((await read(id)).judged_at > guarantee.judged_at).to.equal(true);
  });

  it("is judged again when gateways report other ports, and when something that lets in ends", async () => {
    const { id, policy, route } = await pages();
    const end = new Date(Date.now() + 3_000).toISOString();
    const rule = { ip_policy_id: policy, cidr: "198.51.100.0/24", action: "allow", expires_at: end };
    await server.created("/ip_policy_rules", rule);
    while ((await read(id)).state !== "holds") await sleep(100);
    expect((await read(id)).judged_at >= end).to.equal(true);
    expect((await server.rest.delete(`${route}/ip_restriction`)).status).to.equal(204);
    expect((await read(id)).state).to.equal("broken");
    const report = { version: "0.1.0", envoy_version: "1.40.0", sequence: 1, edges: [], agents: [] };
    for (const [ports, state] of [
      [[8443], "holds"],
      [[443], "broken"],
    ] as const) {
      expect((await server.rest.put("/gateways/one/status", { ...report, ports })).status).to.equal(204);
      expect((await read(id)).state).to.equal(state);
    }
  });

  it("is not proved for a reader who waited for it too long, and says so", async () => {
    const { id, guarantee } = await pages();
    const later = Date.now() + 45_000; // times further ahead are brought back
    // As if another server had taken it, and were not done with it.
    const taken = `touched = touched + 1, due_at = ${later}`;
    await execute(server.data, `update guarantee_state set ${taken} where guarantee_id = '${id}'`);
    const { state, reason, judged_at } = await read(id);
    expect({ state, judged_at }).to.deep.equal({ state: "unproved", judged_at: guarantee.judged_at });
    expect(reason).to.contain(`What changed since ${guarantee.judged_at} is not judged yet`);
    const now = `due_at = 0`;
    await execute(server.data, `update guarantee_state set ${now} where guarantee_id = '${id}'`);
    while ((await read(id)).state !== "holds") await sleep(100);
  });
});
