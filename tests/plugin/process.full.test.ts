import { getEndpoints, getTunnelSessions, getTunnels } from "@tunnelplane/pulumi";
import { newId } from "@tunnelplane/sdk/contract";
import { hostport } from "../support/api/expect";
import { failureOf, World, worldOfThisFile } from "../support/provider";
import { Plugin, UNKNOWN } from "./plugin";

describe("The native provider where pulumi is not on the PATH", () => {
  const { server } = worldOfThisFile();
  const place = () => ({ TUNNELPLANE_BASE_URL: server.url, TUNNELPLANE_API_KEY: server.apiKey });
  const started = (env: Record<string, string> = {}): Promise<Plugin> => Plugin.start({ ...place(), ...env });

  it("says in a run and in a preview why the server refuses a hostport or a name, and nothing of the state", async () => {
    const { hostports: taken } = await server.created("/edges/tls", { hostports: [hostport()] });
    const edge = await server.created("/edges/tls", {});
    const plugin = await started({ TUNNELPLANE_VALIDATE_ON_SERVER: "true" });
    for (const refused of [
      () => plugin.create("TlsEdge", { hostports: taken }),
      () => plugin.create("TlsEdge", { hostports: taken }, { preview: true }),
      () => plugin.update("TlsEdge", edge.id, { hostports: [] }, { hostports: taken }),
    ])
      expect(await failureOf(refused()))
        .to.match(/^hostports\[0\] is served by another edge already.*TP_\d+/)
        .and.not.to.contain("pulumi");
    const policy = await server.created("/ip_policies", {});
    const rule = { ipPolicyId: policy.id, cidr: "192.0.2.0/24", action: "allow" };
    await plugin.create("IpPolicyRule", rule);
    const again = await failureOf(plugin.create("IpPolicyRule", rule, { preview: true }));
    expect(again).to.contain("TP_").and.not.to.contain("pulumi");
  });

  it("makes no second object when a creation is repeated, and says what to do", async () => {
    const first = await started();
    const id = (await first.create("IpPolicy", { description: "office" })).getId();
    const second = await started();
    const message = await failureOf(second.create("IpPolicy", { description: "office" }));
    expect(message)
      .to.contain(`an earlier run created ${id}`)
      .and.to.contain("there is no `pulumi` on the PATH");
    expect((await server.read("/ip_policies?description=office")).ip_policies).to.have.length(1);
    await server.rest.delete(`/ip_policies/${id}`);
    expect((await second.create("IpPolicy", { description: "office" })).getId()).not.to.equal(id);
  });

  // tests/provider/guarantees.full.test.ts has what both providers do.
  it("previews the state of a guarantee as unknown, because any other change may change it", async () => {
    const plugin = await started();
    const addresses = ["*.later.example.org:443"];
    const made = await plugin.create("Guarantee", { expect: "refused", addresses });
    const olds = made.getProperties()?.toJavaScript() ?? {};
    expect(olds).to.deep.include({ state: "holds", covered: 0 });
    const news = { expect: "answered", addresses };
    const changed = await plugin.update("Guarantee", made.getId(), olds, news, { preview: true });
    const unknown = { state: UNKNOWN, covered: UNKNOWN };
    const expected = { expect: "answered", uri: olds.uri, ...unknown };
    expect(changed.getProperties()?.toJavaScript()).to.deep.include(expected);
  });

  it("looks up endpoints, tunnels and sessions of agents as the other provider does, under the names of its language", async () => {
    const served = hostport();
    const edge = await server.created("/edges/tls", { hostports: [served] });
    const credential = await server.created("/credentials", {});
    const agent = { session: newId("ts"), credential: credential.id, bind: [`bind:${served}`] };
    const { status } = await server.rest.put("/gateways/eu-1/status", {
      edges: [{ id: edge.id, state: "applied" }],
      agents: [{ ...agent, address: "192.0.2.1", since: "2026-01-01T00:00:00Z", client: "SSH-2.0-a" }],
    });
    expect(status).to.equal(204);
    const plugin = await started();
    const invoked = async (name: string) => (await plugin.invoke(name, {})).getReturn()?.toJavaScript();
    const before = { ...process.env };
    Object.assign(process.env, place());
    const asked = [getTunnelSessions(), getTunnels(), getEndpoints()] as const;
    const [sessions, tunnels, endpoints] = await Promise.all(asked).finally(() => {
      for (const name of Object.keys(place())) delete process.env[name];
      Object.assign(process.env, before);
    });
    expect(sessions).to.have.length(1);
    expect(sessions[0]).to.deep.include({ id: agent.session, agentVersion: "SSH-2.0-a" });
    expect(tunnels[0]?.tunnelSession.id).to.equal(agent.session);
    expect(endpoints[0]).to.deep.include({ publicUrl: `tls://${served}`, tcpAddr: null });
    expect(await invoked("getTunnelSessions")).to.deep.equal({ tunnelSessions: sessions });
    expect(await invoked("getTunnels")).to.deep.equal({ tunnels });
    expect(await invoked("getEndpoints")).to.deep.equal({ endpoints });
    const [refused] = (await plugin.invoke("getTunnels", { id: "tn_x" })).getFailuresList();
    expect(refused?.getReason()).to.equal("id is not an argument here; none is accepted");
  });
});

describe("A list by the native provider", () => {
  const world = new World();

  it("has the ids of a type's objects, by pages and by their properties, and says what it cannot list", async () => {
    const { url, apiKey, rest } = await world.server();
    const ids: string[] = [];
    for (const description of ["a", "b", "b"])
      ids.unshift((await rest.post("/ip_policies", { description })).body.id);
    const edge = (await rest.post("/edges/https", { hostports: ["app.example.com:443"] })).body.id;
    const body = { match_type: "path_prefix", match: "/" };
    const route = (await rest.post(`/edges/https/${edge}/routes`, body)).body.id;
    const plugin = await Plugin.start({ TUNNELPLANE_BASE_URL: url, TUNNELPLANE_API_KEY: apiKey });
    const [newest = "", middle = "", oldest = ""] = ids;
    const first = await plugin.list("IpPolicy", {}, { pageSize: 2 });
    expect(first).to.deep.equal({ found: [`${newest} ${newest}`, `${middle} ${middle}`], next: middle });
    expect(await plugin.list("IpPolicy", {}, { after: middle })).to.deep.equal({
      found: [`${oldest} ${oldest}`],
      next: undefined,
    });
    const named = await plugin.list("IpPolicy", { description: "b" }, { limit: 1 });
    expect(named.found).to.deep.equal([`${newest} ${newest}`]);
    expect((await plugin.list("HttpsEdge", { hostports: "app.example.com:443" })).found).to.have.length(1);
    expect((await plugin.list("HttpsEdge", { hostports: "other.example.com:443" })).found).to.have.length(0);
    expect((await plugin.list("HttpsEdgeRoute", { edgeId: edge })).found).to.deep.equal([
      `${route} ${edge}/${route}`,
    ]);
    expect(await failureOf(plugin.list("HttpsEdgeRoute", {}))).to.contain("edgeId");
    expect(await failureOf(plugin.list("TlsEdgeBackend", {}))).to.contain("cannot be listed");
    expect(await failureOf(plugin.list("IpPolicy", { descripton: "b" }))).to.contain(
      "no property descripton",
    );
  });
});
