import {
  apiOnEveryDatabase,
  expectRefused,
  hostport,
  immutable,
  inUse,
  invalid,
  type Json,
  notFound,
  unique,
  unknownId,
  wrongKind,
} from "../support/api/expect";
import { oidc } from "../support/api/modules";

const HTTPS = "/edges/https";

apiOnEveryDatabase("HTTPS edges and their routes", (server) => {
  const edge = (more: Json = {}) => server.created(HTTPS, { hostports: [hostport()], ...more });
  const postRoute = (edgeUri: string, match: unknown, match_type: unknown = "path_prefix") =>
    server.rest.post(`${edgeUri}/routes`, { match_type, match });
  const route = (edgeUri: string, match = "/", more: Json = {}) =>
    server.created(`${edgeUri}/routes`, { match_type: "path_prefix", match, ...more });

  it("an edge shows its routes as they are after each creation, change and deletion", async () => {
    const { uri, routes } = await edge();
    expect(routes).to.deep.equal([]);
    const expectShown = async (...uris: string[]): Promise<void> => {
      const shown = await Promise.all(uris.map((address) => server.read(address)));
      const { id, ...read } = await server.read(uri);
      expect(read.routes).to.have.deep.members(shown);
      const listed = (await server.read(HTTPS)).https_edges.find((other: { id: string }) => other.id === id);
      expect(listed.routes).to.have.deep.members(shown);
    };
    const [one, two] = [await route(uri, "/one"), await route(uri, "/two")];
    await expectShown(one.uri, two.uri);
    await server.rest.patch(one.uri, { match: "/other", description: "changed" });
    await expectShown(one.uri, two.uri);
    await server.rest.put(`${two.uri}/oidc`, oidc);
    await expectShown(one.uri, two.uri);
    await server.rest.delete(one.uri);
    await expectShown(two.uri);
  });

  it("an edge keeps encoded slashes only while nothing on it depends on the path", async () => {
    const [keeping, other] = [await edge({ escaped_slashes: "keep" }), await edge()];
    const { uri } = await route(keeping.uri);
    const second = await route(other.uri, "/a");
    const asking = (expression: string) => ({
      inbound: [{ expressions: [expression], actions: [{ type: "deny", config: {} }] }],
    });
    const rewriting = {
      inbound: [{ actions: [{ type: "url-rewrite", config: { from: "^/a", to: "/b" } }] }],
    };
    const object = (kind: string, key: string, fields: Json) => ({ kind, key, fields });
    const set = {
      set: unique(),
      objects: [
        object("https_edge", "e", { hostports: [hostport()], escaped_slashes: "keep" }),
        object("https_edge_route", "r", {
          edge_id: { $key: "https_edge/e" },
          match_type: "exact_path",
          match: "/",
        }),
      ],
    };
    for (const answer of [
      await postRoute(keeping.uri, "/a"),
      await postRoute(keeping.uri, "/", "exact_path"),
      await server.rest.patch(uri, { match: "/a" }),
      await server.rest.patch(uri, { policies: asking('req.path.startsWith("/a")') }),
      await server.rest.put(`${uri}/policies`, rewriting),
      await server.rest.patch(other.uri, { escaped_slashes: "keep" }),
      await server.rest.post("/changesets", set),
      await server.rest.post("/changesets?dry_run=true", set),
    ])
      expectRefused(answer, invalid("escaped_slashes", "depends on the path"));
    expect((await server.rest.patch(uri, { policies: asking('req.host == "a"') })).status).to.equal(200);
    await server.rest.delete(second.uri);
    expect((await server.rest.patch(other.uri, { escaped_slashes: "keep" })).status).to.equal(200);
  });

  it("an edge keeps its routes when it is changed itself", async () => {
    const { uri } = await edge();
    const { uri: address } = await route(uri);
    const answer = await server.rest.patch(uri, { description: "changed", hostports: [hostport()] });
    expect(answer.body.routes).to.deep.equal([await server.read(address)]);
  });

  it("an edge is deleted together with its routes, and the objects that they used are free", async () => {
    const backend = await server.created("/backends/tunnel_group", { labels: { app: "shop" } });
    const [doomed, other] = [await edge(), await edge()];
    const gone = await route(doomed.uri, "/", { backend: { backend_id: backend.id } });
    const kept = await route(other.uri);
    expectRefused(await server.rest.delete(backend.uri), inUse(gone.id));
    expect((await server.rest.delete(doomed.uri)).status).to.equal(204);
    for (const address of [gone.uri, `${gone.uri}/backend`, `${doomed.uri}/routes`])
      expectRefused(await server.rest.get(address), notFound);
    expect((await server.read(kept.uri)).id).to.equal(kept.id);
    expect((await server.rest.delete(backend.uri)).status).to.equal(204);
  });

  it("a route belongs to its edge and stays there: another edge does not list it and does not find it, for any operation", async () => {
    const [one, other] = [await edge(), await edge()];
    const { id, uri, edge_id } = await route(one.uri, "/", { oidc });
    expect(edge_id).to.equal(one.id);
    const listed = (await server.read(`${one.uri}/routes`)).routes;
    expect(listed.map((each: { id: string }) => each.id)).to.deep.equal([id]);
    expect((await server.read(`${other.uri}/routes`)).routes).to.deep.equal([]);
    expect((await server.read(other.uri)).routes).to.deep.equal([]);
    const elsewhere = `${other.uri}/routes/${id}`;
    for (const attempt of [
      () => server.rest.get(elsewhere),
      () => server.rest.patch(elsewhere, { description: "x" }),
      () => server.rest.delete(elsewhere),
      () => server.rest.get(`${elsewhere}/oidc`),
      () => server.rest.put(`${elsewhere}/oidc`, oidc),
      () => server.rest.delete(`${elsewhere}/oidc`),
    ])
      await server.unchangedBy(uri, attempt, notFound);
    const move = () => server.rest.patch(uri, { edge_id: other.id });
    await server.unchangedBy(uri, move, immutable("edge_id"));
  });

  it("an edge that does not exist, or is of another kind, has no routes, and none can be added", async () => {
    const { id } = await route((await edge()).uri);
    for (const [prefix, refusal] of [
      ["edghts", notFound],
      ["edgtls", wrongKind()],
    ] as const) {
      const ghost = `${HTTPS}/${unknownId(prefix)}`;
      expectRefused(await server.rest.get(`${ghost}/routes`), refusal);
      expectRefused(await postRoute(ghost, "/"), refusal);
      for (const address of [`${ghost}/routes/${id}`, `${ghost}/routes/${id}/oidc`]) {
        expectRefused(await server.rest.get(address), refusal);
        expectRefused(await server.rest.delete(address), refusal);
      }
    }
  });
});
