import { expect } from "chai";
import { failureOf, World } from "../support/provider";
import { Plugin } from "./plugin";

describe("The native provider where pulumi is not on the PATH", () => {
  const world = new World();
  const plugins: Plugin[] = [];
  after(async () => {
    for (const plugin of plugins) await plugin.stop();
    await world.close();
  });

  async function started(
    server: { url: string; apiKey: string },
    env: Record<string, string> = {},
  ): Promise<Plugin> {
    const plugin = await Plugin.start({
      TUNNELPLANE_BASE_URL: server.url,
      TUNNELPLANE_API_KEY: server.apiKey,
      ...env,
    });
    plugins.push(plugin);
    return plugin;
  }

  it("says in a run and in a preview why the server refuses a hostport or a name, and nothing of the state", async () => {
    const server = await world.server();
    const taken = ["taken.example.com:443"];
    await server.rest.post("/edges/tls", { hostports: taken });
    const edge = (await server.rest.post("/edges/tls", {})).body;
    const plugin = await started(server, { TUNNELPLANE_VALIDATE_ON_SERVER: "true" });
    for (const refused of [
      () => plugin.create("TlsEdge", { hostports: taken }),
      () => plugin.create("TlsEdge", { hostports: taken }, { preview: true }),
      () => plugin.update("TlsEdge", edge.id, { hostports: [] }, { hostports: taken }),
    ])
      expect(await failureOf(refused()))
        .to.match(/^hostports\[0\] is served by another edge already.*TP_\d+/)
        .and.not.to.contain("pulumi");

    const policy = (await server.rest.post("/ip_policies", {})).body;
    const rule = { ipPolicyId: policy.id, cidr: "192.0.2.0/24", action: "allow" };
    await plugin.create("IpPolicyRule", rule);
    const again = await failureOf(plugin.create("IpPolicyRule", rule, { preview: true }));
    expect(again).to.contain("TP_").and.not.to.contain("pulumi");
  });

  it("makes no second object when a creation is repeated, and says what to do", async () => {
    const server = await world.server();
    const first = await started(server);
    const id = (await first.create("IpPolicy", { description: "office" })).getId();
    const second = await started(server);
    const message = await failureOf(second.create("IpPolicy", { description: "office" }));
    expect(message)
      .to.contain(`an earlier run created ${id}`)
      .and.to.contain("there is no `pulumi` on the PATH");
    expect((await server.rest.get("/ip_policies")).body.ip_policies).to.have.length(1);

    await server.rest.delete(`/ip_policies/${id}`);
    expect((await second.create("IpPolicy", { description: "office" })).getId()).not.to.equal(id);
  });
});
