import { expect } from "chai";
import { changesOf, requestsDuring, World } from "../support/provider";
import { onEveryProvider } from "../support/providers";

const CANARY_SECRET = "canary-client-secret-9f8e7d6c5b";

onEveryProvider("Child objects, such as routes", (tunnels) => {
  const world = new World();
  after(() => world.close());

  it("are created, changed, drifted, repaired and deleted like any other, one request each", async () => {
    const server = await world.server();
    const declared = { scopes: ["openid"], filter: true };
    const stack = await world.stack(server, async () => {
      const edge = new tunnels.HttpsEdge("edge", { hostports: ["www.example.com:443"] });
      const route = new tunnels.HttpsEdgeRoute("route", {
        edgeId: edge.id,
        matchType: "path_prefix",
        match: "/",
        oidc: {
          issuer: "https://id.example.com",
          clientId: "site",
          clientSecret: CANARY_SECRET,
          scopes: declared.scopes,
        },
        userAgentFilter: declared.filter ? { deny: ["^curl/"] } : undefined,
      });
      const module = new tunnels.HttpsEdgeRoutePolicies("policies", {
        edgeId: edge.id,
        routeId: route.routeId,
        inbound: [{ actions: [{ type: "custom-response", config: { status_code: 404, content: "no" } }] }],
      });
      return { route: route.id, routeId: route.routeId, module: module.id };
    });
    await stack.up();
    const { route, routeId, module } = await stack.outputs();
    expect(route?.value).to.match(/^edghts_\w+\/edghtsrt_\w+$/);
    expect(module?.value).to.equal(route?.value);
    const [edge] = (await server.rest.get("/edges/https")).body.https_edges;
    expect(edge.routes[0].id).to.equal(routeId?.value);
    const path = `/edges/https/${edge.id}/routes/${routeId?.value}`;

    expect(await requestsDuring(server, () => stack.refresh())).to.have.members([
      "GET /caller",
      `GET /edges/https/${edge.id}`,
      `GET ${path}`,
      `GET ${path}/policies`,
    ]);
    expect(changesOf(await stack.up())).to.deep.equal([]);

    declared.scopes = ["openid", "email"];
    declared.filter = false;
    const requests = await requestsDuring(server, async () => {
      expect(changesOf(await stack.up())).to.deep.equal(["update route oidc.scopes[1] userAgentFilter"]);
    });
    expect(requests).to.deep.equal(["GET /caller", `DELETE ${path}/user_agent_filter`, `PATCH ${path}`]);

    await server.rest.patch(path, { match: "/elsewhere" });
    await stack.refresh();
    expect(changesOf(await stack.up())).to.deep.equal(["update route match"]);
    const repaired = (await server.rest.get(path)).body;
    expect(repaired).to.deep.include({ match: "/", user_agent_filter: null });
    expect(repaired.oidc.client_secret).to.equal(CANARY_SECRET);

    for (const text of [stack.stateFile(), stack.events.join("\n"), server.log])
      expect(text.includes(CANARY_SECRET)).to.equal(false);
    await stack.destroy();
    expect((await server.rest.get("/edges/https")).body.https_edges).to.deep.equal([]);
  });

  it("leave secrets of destinations encrypted in the state, and only those", async () => {
    const server = await world.server();
    const stack = await world.stack(server, async () => {
      new tunnels.EventDestination("creds", {
        target: {
          streamService: {
            streamRef: "arn:aws:kinesis:eu-central-1:123456789012:stream/tunnels",
            auth: { creds: { cloudAccessKeyId: "AKIAPUBLIC", cloudSecretAccessKey: CANARY_SECRET } },
          },
        },
      });
      new tunnels.EventDestination("key", {
        target: { monitoringService: { apiKey: CANARY_SECRET, service: "tunnels" } },
      });
    });
    const preview = await stack.preview({ diff: true });
    expect(preview.stdout)
      .to.contain("AKIAPUBLIC")
      .and.to.contain("[secret]")
      .and.not.to.contain(CANARY_SECRET);
    await stack.up();
    await stack.refresh();
    expect(changesOf(await stack.up())).to.deep.equal([]);
    for (const text of [stack.stateFile(), stack.events.join("\n"), server.log])
      expect(text.includes(CANARY_SECRET)).to.equal(false);
    expect((await server.rest.get("/event_destinations")).text).to.contain(CANARY_SECRET);
  });
});
