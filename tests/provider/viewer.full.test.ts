import { Engine } from "../support/engine";
import { changesOf, describeStacks, failureOf } from "../support/provider";
import { type Classes, PROVIDERS } from "../support/providers";

const SECRETS = ["of-the-service", "of-the-application", "of-the-module"];
const [apiKey, clientSecret, ofModule] = SECRETS as [string, string, string];

describeStacks("The key of a viewer", ({ world, server }) => {
  let stack: Engine;
  let review: Engine;
  let imported: { id: string; name: string; provider: Classes } | undefined;
  const oidc = (secret: string) => ({
    issuer: "https://id.example.com",
    clientId: "app",
    clientSecret: secret,
    scopes: ["openid"],
  });
  const program = async () => {
    for (const [name, tunnels] of Object.entries(PROVIDERS)) {
      new tunnels.EventDestination(`${name}-audit`, { target: { monitoringService: { apiKey } } });
      const edge = new tunnels.HttpsEdge(`${name}-edge`, { hostports: [`${name}.example.com:443`] });
      const route = { edgeId: edge.id, matchType: "path_prefix", match: "/" } as const;
      new tunnels.HttpsEdgeRoute(`${name}-route`, { ...route, oidc: oidc(clientSecret) });
      const other = new tunnels.HttpsEdgeRoute(`${name}-other`, { ...route, match: "/other" });
      new tunnels.HttpsEdgeRouteOidc(`${name}-oidc`, {
        edgeId: edge.id,
        routeId: other.routeId,
        ...oidc(ofModule),
      });
      new tunnels.TunnelCredential(`${name}-credential`, {});
      new tunnels.BotUser(`${name}-bot`, { name: "ci", role: "admin" });
    }
    if (imported)
      new imported.provider.EventDestination(
        imported.name,
        { target: { monitoringService: { apiKey } } },
        { import: imported.id },
      );
  };

  before("run the program with the key of an admin", async () => {
    const bot = (await server.rest.post("/bot_users", { name: "reviews", role: "viewer" })).body.id;
    const { token } = (await server.rest.post("/api_keys", { owner_id: bot })).body;
    stack = await world.stack({ url: server.url, apiKey: server.apiKey }, program);
    await stack.up();
    review = await Engine.open(stack.folder, {
      program,
      env: {
        TUNNELPLANE_BASE_URL: server.url,
        TUNNELPLANE_API_KEY: token,
        TUNNELPLANE_VALIDATE_ON_SERVER: "true",
      },
    });
  });

  it("previews and refreshes a stack of others without a change, and keeps its recorded secrets", async () => {
    expect(changesOf(await review.preview())).to.deep.equal([]);
    await review.refresh();
    expect(changesOf(await stack.up())).to.deep.equal([]);
  });

  it("previews what is new, and runs nothing", async () => {
    await server.rest.delete((await server.rest.get("/bot_users")).body.bot_users[0].uri);
    await review.refresh();
    expect(changesOf(await review.preview())).to.have.length(1);
    expect(await failureOf(review.up())).to.include("the role of this API key is viewer");
    expect(changesOf(await stack.up())).to.have.length(1);
  });

  it("imports no object whose secrets it cannot read, and says why", async () => {
    for (const [name, provider] of Object.entries(PROVIDERS)) {
      const { body } = await server.rest.post("/event_destinations", {
        target: { monitoring_service: { api_key: apiKey } },
      });
      imported = { id: body.id, name: `${name}-imported`, provider };
      expect(await failureOf(review.up()), name).to.include("this API key reads no secrets");
      expect(changesOf(await stack.up()), name).to.include(
        `${name === "native" ? "import" : "create"} ${name}-imported`,
      );
    }
  });
});
