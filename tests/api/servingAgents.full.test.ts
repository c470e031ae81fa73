import { expect } from "chai";
import { hostport, type Json, serverOfThisFile, unique } from "../support/api/expect";
import { onEveryDatabase } from "../support/databases";
import type { Rest } from "../support/rest";

const [EARLY, LATE] = ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"];

onEveryDatabase("The exposure of an address", (start) => {
  const server = serverOfThisFile(start);

  const gatewaysAt = async (address: string, rest: Rest = server.rest): Promise<Json[]> => {
    const answer = await rest.get(`/exposure?address=${encodeURIComponent(address)}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.exposure[0].gateways;
  };
  const agent = (credential: string, since: string, ...bind: string[]) => ({
    ...{ credential, bind, address: "192.0.2.1", since },
  });
  /** A gateway that serves these edges and has these agents. */
  const gateway = async (edges: readonly Json[], agents: readonly Json[]): Promise<string> => {
    const name = unique("gateway");
    const report = { edges: edges.map(({ id }) => ({ id, state: "applied" })), agents };
    const { status, text } = await server.rest.put(`/gateways/${name}/status`, report);
    expect(status, text).to.equal(204);
    return name;
  };

  it("says which gateway serves it, and which agents are there: to a member its own, and the count of others", async () => {
    const served = hostport();
    const edge = await server.created("/edges/tls", { hostports: [served] });
    const mine = await server.member();
    const own = (await mine.rest.post("/credentials", {})).body;
    const other = await server.created("/credentials", {});
    const late = agent(own.id, LATE, `bind:${served}`);
    const early = agent(other.id, EARLY, `bind:${served}`, "bind:elsewhere.example.com:443");
    const gone = agent(`cr_${"0".repeat(27)}`, EARLY, `bind:${served}`);
    const elsewhere = agent(other.id, EARLY, "bind:elsewhere.example.com:443");
    const name = await gateway([edge], [late, early, gone, elsewhere]);

    expect(await gatewaysAt(served)).to.have.length(1);
    const [all] = await gatewaysAt(served);
    expect(all).to.deep.include({ name, state: "applied", reason: "" });
    expect(all).to.deep.include({ agents: [early, late], other_agents: 0 });
    const [seen] = await gatewaysAt(served, mine.rest);
    expect(seen).to.deep.include({ agents: [late], other_agents: 1 });
    const list = (await server.read("/exposure")).exposure;
    const listed = list.find(({ address }: Json) => address === served);
    expect(listed.gateways[0]).to.deep.include({ name }).and.not.to.have.any.keys("agents", "other_agents");
  });

  it("counts agents that have all labels of one of its tunnel groups, and none of another project", async () => {
    const service = unique("web");
    const group = await server.created("/backends/tunnel_group", { labels: { service, color: "blue" } });
    const fixed = await server.created("/backends/static", { address: "10.0.0.1:80" });
    const both = await server.created("/backends/weighted", { backends: { [group.id]: 1, [fixed.id]: 1 } });
    const edge = await server.created("/edges/tls", {
      hostports: [hostport()],
      backend: { backend_id: both.id },
    });
    const shop = { "tunnelplane-project": unique("shop") };
    await server.created("/projects", { name: shop["tunnelplane-project"] });
    const { id } = await server.created("/credentials", {});
    const { body: foreign } = await server.rest.post("/credentials", {}, shop);
    const labels = [`bind:service=${service}`, "bind:color=blue"];
    const there = agent(id, EARLY, ...labels, "bind:more=yes");
    await gateway(
      [edge],
      [
        there,
        agent(id, EARLY, `bind:service=${service}`, "bind:color=green"),
        agent(foreign.id, LATE, ...labels),
      ],
    );
    const [seen] = await gatewaysAt(edge.hostports[0]);
    expect(seen).to.deep.include({ agents: [there], other_agents: 0 });
  });
});
