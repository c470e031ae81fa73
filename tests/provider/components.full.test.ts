import * as pulumi from "@pulumi/pulumi";
import { changesOf, describeStacks, failureOf, worldOfThisFile } from "../support/provider";
import { onEveryProvider, PROVIDERS } from "../support/providers";

const SECRET = "canary-client-secret-of-a-component";

type Exported = { resources: { urn: string; provider?: string }[] };

onEveryProvider("The components Tunnel and ProtectedSite", (tunnels, provider) => {
  const { world, server } = worldOfThisFile();

  it("declare all that they consist of, stay as they are, refuse what opens a site, and go", async () => {
    let networks = ["192.0.2.0/24"];
    const stack = await world.stack(server, async () => {
      const tunnel = new tunnels.Tunnel("app", { hostports: ["app.example.org:443"], networks });
      const { url: baseUrl, apiKey } = server;
      const account = new tunnels.Account("account", { baseUrl, apiKey });
      const args = {
        hostports: [pulumi.interpolate`wiki.example.org:443`],
        label: "wiki-of-all",
        oidc: { issuer: "https://id.example.com", clientId: "wiki", clientSecret: pulumi.secret(SECRET) },
      };
      const site = new tunnels.ProtectedSite("wiki", args, { providers: [account] });
      return { token: tunnel.authtoken, policy: tunnel.ipPolicyId, guarantee: site.guaranteeId };
    });
    await stack.preview();
    await stack.up();
    const outputs = stack.outputs();
    expect(outputs.token).to.include({ secret: true });
    expect(outputs.token?.value).to.match(/^tpt_/);
    const state = await stack.exported();
    expect(state).not.to.match(/canary-client|tpt_/);
    const { resources }: Exported = JSON.parse(state).deployment;
    for (const { urn, provider: used = "" } of resources.filter(({ urn }) => /:TunnelCredential::/.test(urn)))
      expect(used.includes("::account::"), urn).to.equal(urn.endsWith("::wiki"));
    const get = async (path: string, list: string) => (await server.rest.get(path)).body[list];
    const edges: { id: string; hostports: string[] }[] = await get("/edges/https", "https_edges");
    const edgeAt = (host: string) => edges.find(({ hostports }) => hostports[0] === `${host}:443`)?.id;
    const routesOf = (host: string) => get(`/edges/https/${edgeAt(host)}/routes`, "routes");
    const [route] = await routesOf("app.example.org");
    expect(route).to.deep.include({ match: "/", match_type: "path_prefix" });
    expect(route.ip_restriction.ip_policies.map(({ id }: { id: string }) => id)).to.deep.equal([
      outputs.policy?.value,
    ]);
    expect(
      (await get("/backends/tunnel_group", "backends")).map((one: { labels: object }) => one.labels),
    ).to.have.deep.members([{ tunnel: "app" }, { tunnel: "wiki-of-all" }]);
    const [guarantee] = await get("/guarantees?state=true", "guarantees");
    expect(guarantee).to.include({ id: outputs.guarantee?.value, state: "holds", covered: 1 });
    const [signIn] = await routesOf("wiki.example.org");
    const opened = await server.rest.delete(
      `/edges/https/${edgeAt("wiki.example.org")}/routes/${signIn.id}/oidc`,
    );
    expect(opened.status).to.equal(409);
    expect(changesOf(await stack.preview())).to.deep.equal([]);
    networks = ["198.51.100.0/24"];
    expect(changesOf(await stack.up())).to.have.members([
      "create app-198.51.100.0/24",
      "delete app-192.0.2.0/24",
    ]);
    networks = "all" as unknown as string[];
    expect(await failureOf(stack.preview())).to.contain("networks of Tunnel must be a list of texts");
    expect(stack.events.join("\n"), provider).not.to.contain(SECRET);
    await stack.destroy();
    expect(await get("/edges/https", "https_edges")).to.deep.equal([]);
    expect(await get("/guarantees", "guarantees")).to.deep.equal([]);
  });
});

describeStacks("A component of the dynamic provider", ({ world, server }) => {
  it("moves to the native one without a change of what is inside", async () => {
    let tunnels = PROVIDERS.dynamic;
    const stack = await world.stack(server, async () => {
      new tunnels.Tunnel("app", { hostports: ["app.example.org:443"], networks: ["192.0.2.0/24"] });
    });
    await stack.up();
    const before = (await server.rest.get("/edges/https")).body;
    tunnels = PROVIDERS.native;
    expect(changesOf(await stack.up())).to.deep.equal([]);
    expect((await server.rest.get("/edges/https")).body).to.deep.equal(before);
  });
});
