import { expect } from "chai";
import { World } from "../support/provider";
import { Plugin, UNKNOWN, urnOf } from "./plugin";

// tests/provider/guarantees.full.test.ts has what both providers do.
describe("A preview of the native provider", () => {
  const world = new World();
  let server: Awaited<ReturnType<World["server"]>>;
  let plugin: Plugin;
  before(async () => {
    server = await world.server();
    plugin = await Plugin.start({
      TUNNELPLANE_BASE_URL: server.url,
      TUNNELPLANE_API_KEY: server.apiKey,
      TUNNELPLANE_VALIDATE_ON_SERVER: "true",
    });
  });
  after(async () => {
    await plugin?.stop();
    await world.close();
  });

  it("warns at the resource whose change alone would be refused, and previews the rest of the program", async () => {
    const { rest } = server;
    const guarded = { expect: "refused", addresses: ["app.example.org:443"], session: "none" };
    const { id } = (await rest.post("/guarantees", guarded)).body;
    const edge = (await rest.post("/edges/https", { hostports: ["app.example.org:443"] })).body.id;
    const backend = (await rest.post("/backends/http_response", { status_code: 204 })).body.id;
    const route = { edgeId: edge, matchType: "path_prefix", match: "/", backend: { backendId: backend } };
    const planned = await plugin.create("HttpsEdgeRoute", route, { preview: true });
    expect(planned.getProperties()?.toJavaScript()).to.deep.include({ match: "/", routeId: UNKNOWN });
    const [{ urn, text } = { urn: "", text: "" }, ...others] = plugin.logged;
    expect(others).to.deep.equal([]);
    expect(urn).to.equal(urnOf("HttpsEdgeRoute", "it"));
    expect(text)
      .to.match(
        /^HttpsEdgeRoute: refused if applied alone: .*`GET \S+\/` from [\d.]+.*: 404 → 204.*`dependsOn`/,
      )
      .and.contain(id);
    expect((await rest.get(`/edges/https/${edge}`)).body.routes).to.deep.equal([]);
  });

  it("treats the state of a guarantee as unknown, because any other change may change it", async () => {
    const addresses = ["*.later.example.org:443"];
    const made = await plugin.create("Guarantee", { expect: "refused", addresses });
    const olds = made.getProperties()?.toJavaScript() ?? {};
    expect(olds).to.deep.include({ state: "holds", covered: 0 });
    const news = { expect: "answered", addresses };
    const changed = await plugin.update("Guarantee", made.getId(), olds, news, { preview: true });
    expect(changed.getProperties()?.toJavaScript()).to.deep.include({
      expect: "answered",
      uri: olds.uri,
      state: UNKNOWN,
      covered: UNKNOWN,
    });
  });
});
