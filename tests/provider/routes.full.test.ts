import { expect } from "chai";
import type { Engine } from "../support/engine";
import { changesOf, requestsDuring, World } from "../support/provider";
import { type Classes, PROVIDERS } from "../support/providers";

const CANARY_SECRET = "canary-client-secret-9f8e7d6c5b";
const NAMES = Object.keys(PROVIDERS);

// One stack has the resources of both providers, and the cases follow each other on it.
describe("Child objects, such as routes", () => {
  const world = new World();
  let server: Awaited<ReturnType<World["server"]>>;
  let stack: Engine;
  const declared = { scopes: ["openid"], filter: true };

  function declare(tunnels: Classes, provider: string) {
    const edge = new tunnels.HttpsEdge(`${provider}-edge`, { hostports: [`${provider}.example.com:443`] });
    const route = new tunnels.HttpsEdgeRoute(`${provider}-route`, {
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
    const module = new tunnels.HttpsEdgeRoutePolicies(`${provider}-policies`, {
      edgeId: edge.id,
      routeId: route.routeId,
      inbound: [{ actions: [{ type: "custom-response", config: { status_code: 404, content: "no" } }] }],
    });
    new tunnels.EventDestination(`${provider}-creds`, {
      target: {
        streamService: {
          streamRef: "arn:aws:kinesis:eu-central-1:123456789012:stream/tunnels",
          auth: { creds: { cloudAccessKeyId: `AKIAPUBLIC${provider}`, cloudSecretAccessKey: CANARY_SECRET } },
        },
      },
    });
    new tunnels.EventDestination(`${provider}-key`, {
      target: { monitoringService: { apiKey: CANARY_SECRET, service: "tunnels" } },
    });
    return { edge: edge.id, route: route.id, routeId: route.routeId, module: module.id };
  }

  before("declare everything", async () => {
    server = await world.server();
    stack = await world.stack(server, async () =>
      Object.fromEntries(
        Object.entries(PROVIDERS).map(([provider, tunnels]) => [provider, declare(tunnels, provider)]),
      ),
    );
  });
  after(() => world.close());

  const expectNoSecret = (): void => {
    for (const text of [stack.stateFile(), stack.events.join("\n"), server.log])
      expect(text.includes(CANARY_SECRET)).to.equal(false);
  };
  const destinations = async () => (await server.rest.get("/event_destinations")).text;
  const byProvider = (changes: readonly string[]): string[] =>
    NAMES.flatMap((provider) => changes.map((change) => change.replace("route", `${provider}-route`)));

  it("leave secrets of destinations encrypted in the state, and only those", async () => {
    const preview = await stack.preview({ diff: true });
    for (const provider of NAMES) expect(preview.stdout).to.contain(`AKIAPUBLIC${provider}`);
    expect(preview.stdout).to.contain("[secret]").and.not.to.contain(CANARY_SECRET);
    await stack.up();
    await stack.refresh();
    expect(changesOf(await stack.up())).to.deep.equal([]);
    expectNoSecret();
    for (const provider of NAMES) expect(stack.stateFile()).to.contain(`AKIAPUBLIC${provider}`);
    expect((await destinations()).split(CANARY_SECRET)).to.have.length(2 * NAMES.length + 1);
  });

  it("are created, changed, drifted, repaired and deleted like any other, one request each", async () => {
    const outputs = stack.outputs();
    const objects = await Promise.all(
      NAMES.map(async (provider) => {
        const { edge, route, routeId, module } = outputs[provider]?.value ?? {};
        expect(route).to.match(/^edghts_\w+\/edghtsrt_\w+$/);
        expect(module).to.equal(route);
        const { routes } = (await server.rest.get(`/edges/https/${edge}`)).body;
        expect(routes.map(({ id }: { id: string }) => id)).to.deep.equal([routeId]);
        return { edge: `/edges/https/${edge}`, path: `/edges/https/${edge}/routes/${routeId}` };
      }),
    );

    const read = await requestsDuring(server, () => stack.refresh());
    const isOfEdges = (request: string) => request.includes("/edges/https/");
    expect(read.filter(isOfEdges)).to.have.members(
      objects.flatMap(({ edge, path }) => [`GET ${edge}`, `GET ${path}`, `GET ${path}/policies`]),
    );
    for (const request of read.filter((one) => !isOfEdges(one)))
      expect(request).to.match(/^GET (\/caller|\/event_destinations\/\w+)$/);

    declared.scopes = ["openid", "email"];
    declared.filter = false;
    const requests = await requestsDuring(server, async () => {
      expect(changesOf(await stack.up())).to.have.members(
        byProvider(["update route oidc.scopes[1] userAgentFilter"]),
      );
    });
    for (const { path } of objects)
      expect(requests.filter((request) => request.includes(path))).to.deep.equal([
        `DELETE ${path}/user_agent_filter`,
        `PATCH ${path}`,
      ]);
    expect(new Set(requests.filter((one) => !isOfEdges(one)))).to.deep.equal(new Set(["GET /caller"]));

    for (const { path } of objects) await server.rest.patch(path, { match: "/elsewhere" });
    await stack.refresh();
    expect(changesOf(await stack.up())).to.have.members(byProvider(["update route match"]));
    for (const { path } of objects) {
      const repaired = (await server.rest.get(path)).body;
      expect(repaired).to.deep.include({ match: "/", user_agent_filter: null });
      expect(repaired.oidc.client_secret).to.equal(CANARY_SECRET);
    }
    expectNoSecret();
    await stack.destroy();
    expect((await server.rest.get("/edges/https")).body.https_edges).to.deep.equal([]);
  });
});
