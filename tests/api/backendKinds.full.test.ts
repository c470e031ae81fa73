import { expect } from "chai";
import {
  expectRefused,
  hostport,
  inUse,
  invalid,
  type Json,
  missingReference,
  serverOfThisFile,
  unique,
  unknownId,
  wrongKind,
} from "../support/api/expect";
import { onEveryDatabase } from "../support/databases";

const PATHS = {
  failover: "/backends/failover",
  weighted: "/backends/weighted",
  response: "/backends/http_response",
  static: "/backends/static",
  tunnels: "/backends/tunnel_group",
};

onEveryDatabase("Failover, weighted, HTTP-response and static backends", (start) => {
  const server = serverOfThisFile(start);
  const tunnels = () => server.created(PATHS.tunnels, { labels: { app: unique() } });

  /** How the two kinds that distribute traffic name those that get it. */
  const DISTRIBUTING: Record<string, { path: string; to: (...ids: string[]) => Json }> = {
    failover: { path: PATHS.failover, to: (...ids) => ({ backends: ids }) },
    weighted: {
      path: PATHS.weighted,
      to: (...ids) => ({ backends: Object.fromEntries(ids.map((id) => [id, 10])) }),
    },
  };

  for (const [kind, { path, to }] of Object.entries(DISTRIBUTING)) {
    it(`a ${kind} backend passes traffic to backends of every kind`, async () => {
      const ids = [
        (await tunnels()).id,
        (await server.created(PATHS.failover, { backends: [(await tunnels()).id] })).id,
        (await server.created(PATHS.weighted, { backends: { [(await tunnels()).id]: 1 } })).id,
        (await server.created(PATHS.response, { status_code: 503, body: "Back soon" })).id,
        (await server.created(PATHS.static, { address: "example.com:443" })).id,
      ];
      const { uri } = await server.created(path, to(...ids));
      expect((await server.read(uri)).backends).to.deep.equal(to(...ids).backends);
    });

    it(`an update of a ${kind} backend's backends replaces all of them`, async () => {
      const [one, two, three] = [await tunnels(), await tunnels(), await tunnels()];
      const { uri } = await server.created(path, to(one.id, two.id));
      expect((await server.rest.patch(uri, to(three.id, two.id))).body.backends).to.deep.equal(
        to(three.id, two.id).backends,
      );
      await server.rest.patch(uri, { description: "backends stay" });
      expect((await server.read(uri)).backends).to.deep.equal(to(three.id, two.id).backends);
    });

    it(`a ${kind} backend cannot pass traffic to a backend that does not exist`, async () => {
      const { id } = await tunnels();
      const { uri } = await server.created(path, to(id));
      const ghost = unknownId("bkdtg");
      const refusal = { ...missingReference("", ghost), field: undefined };
      expectRefused(await server.rest.post(path, to(id, ghost)), refusal);
      expectRefused(await server.unchangedBy(uri, () => server.rest.patch(uri, to(ghost))), refusal);
    });

    it(`a ${kind} backend cannot pass traffic to an object that is no backend`, async () => {
      const { id } = await server.created("/ip_policies", {});
      const { uri } = await server.created(path, to((await tunnels()).id));
      expectRefused(await server.rest.post(path, to(id)), wrongKind());
      expectRefused(await server.unchangedBy(uri, () => server.rest.patch(uri, to(id))), wrongKind());
    });

    it(`a backend is not deleted while a ${kind} backend passes traffic to it, and the error names that backend`, async () => {
      const [first, second] = [await tunnels(), await tunnels()];
      const { id, uri } = await server.created(path, to(first.id, second.id));
      expectRefused(await server.unchangedBy(first.uri, () => server.rest.delete(first.uri)), inUse(id));
      await server.rest.patch(uri, to(second.id));
      expect((await server.rest.delete(first.uri)).status).to.equal(204);
      await server.rest.delete(uri);
      expect((await server.rest.delete(second.uri)).status).to.equal(204);
    });
  }

  const ONE_OF_EACH: Record<string, () => Promise<{ path: string; body: Json }>> = {
    failover: async () => ({ path: PATHS.failover, body: { backends: [(await tunnels()).id] } }),
    weighted: async () => ({ path: PATHS.weighted, body: { backends: { [(await tunnels()).id]: 5 } } }),
    "HTTP-response": async () => ({ path: PATHS.response, body: { status_code: 404, body: "Not here" } }),
    static: async () => ({ path: PATHS.static, body: { address: "10.0.0.1:80" } }),
  };
  for (const [kind, one] of Object.entries(ONE_OF_EACH))
    it(`a route can use a backend of the kind ${kind}, which is not deleted as long as it is used`, async () => {
      const { path, body } = await one();
      const { id, uri } = await server.created(path, body);
      const route = { match_type: "path_prefix", match: `/${unique()}`, backend: { backend_id: id } };
      const user = await server.created("/edges/https/{edge_id}/routes", route);
      expect(user.backend).to.deep.equal({ enabled: true, backend: { id, uri } });
      expectRefused(await server.unchangedBy(uri, () => server.rest.delete(uri)), inUse(user.id));
      await server.rest.delete(`${user.uri}/backend`);
      expect((await server.rest.delete(uri)).status).to.equal(204);
    });

  it("a failover backend that a TLS edge uses is not deleted, and the answer names the edge", async () => {
    const { id, uri } = await server.created(PATHS.failover, { backends: [(await tunnels()).id] });
    const edge = await server.created("/edges/tls", { hostports: [hostport()], backend: { backend_id: id } });
    expectRefused(await server.unchangedBy(uri, () => server.rest.delete(uri)), inUse(edge.id));
  });

  it("a failover backend tries its backends in the order in which they were given", async () => {
    const ids = [];
    for (let i = 0; i < 4; i++) ids.push((await tunnels()).id);
    for (const order of [ids, [...ids].reverse()])
      expect((await server.created(PATHS.failover, { backends: order })).backends).to.deep.equal(order);
  });

  it("backends of a failover backend are a list of ids", async () => {
    for (const backends of ["text", 5, { a: 1 }])
      expectRefused(await server.rest.post(PATHS.failover, { backends }), invalid("backends"));
    const { id } = await tunnels();
    for (const wrong of [5, true, { id }])
      expectRefused(
        await server.rest.post(PATHS.failover, { backends: [id, wrong] }),
        invalid("backends[1]"),
      );
  });

  it("a weight is a whole number from 0 to 10000", async () => {
    const { id } = await tunnels();
    for (const weight of [0, 1, 9_999, 10_000])
      expect((await server.created(PATHS.weighted, { backends: { [id]: weight } })).backends).to.deep.equal({
        [id]: weight,
      });
    const { uri } = await server.created(PATHS.weighted, { backends: { [id]: 1 } });
    for (const weight of [-1, 10_001, 1.5, "5", true, [5]]) {
      const backends = { [id]: weight };
      expectRefused(await server.rest.post(PATHS.weighted, { backends }), invalid(`backends.${id}`));
      expectRefused(
        await server.unchangedBy(uri, () => server.rest.patch(uri, { backends })),
        invalid(`backends.${id}`),
      );
    }
  });

  it("backends of a weighted backend are a map of weights", async () => {
    for (const backends of ["text", 5, [(await tunnels()).id]])
      expectRefused(await server.rest.post(PATHS.weighted, { backends }), invalid("backends"));
  });

  it("a response is stored as it was sent: status, headers and body", async () => {
    const response = {
      status_code: 418,
      headers: { "content-type": "text/plain; charset=utf-8", "x-shop": "closed" },
      body: "Geschlossen\n閉店 🚇",
    };
    const { uri } = await server.created(PATHS.response, response);
    expect(await server.read(uri)).to.deep.include(response);
  });

  it("a change of a response's headers replaces them all and leaves status and body", async () => {
    const response = { status_code: 503, headers: { "x-one": "1", "x-two": "2" }, body: "Back soon" };
    const { uri } = await server.created(PATHS.response, response);
    const headers = { "x-three": "3" };
    expect((await server.rest.patch(uri, { headers })).body).to.deep.include({ ...response, headers });
  });

  it("invalid statuses, headers and bodies of a response are refused", async () => {
    const { uri } = await server.created(PATHS.response, { status_code: 200 });
    const expectResponseRefused = async (wrong: Json, field: string): Promise<void> => {
      expectRefused(
        await server.rest.post(PATHS.response, { status_code: 200, ...wrong }),
        invalid(field, field),
      );
      expectRefused(await server.unchangedBy(uri, () => server.rest.patch(uri, wrong)), invalid(field));
    };
    for (const status_code of [-1, 1000, 200.5, "200", [200]])
      await expectResponseRefused({ status_code }, "status_code");
    for (const headers of ["x: 5", 5, ["x"]]) await expectResponseRefused({ headers }, "headers");
    for (const value of [5, true, ["x"]])
      await expectResponseRefused({ headers: { shop: value } }, "headers.shop");
    for (const body of [5, true, { a: 1 }]) await expectResponseRefused({ body }, "body");
  });

  it("a static address is a host and a port", async () => {
    for (const address of ["example.com:443", "10.0.0.1:80", "a-b.example.com:1", "example.com:65535"])
      expect((await server.created(PATHS.static, { address })).address).to.equal(address);
    const { uri } = await server.created(PATHS.static, { address: "example.com:80" });
    for (const address of [
      "example.com",
      ":80",
      "example.com:",
      "example.com:0",
      "example.com:65536",
      "example.com:http",
      "https://example.com:443",
      "example.com:80/path",
      "exam ple.com:80",
      80,
    ]) {
      expectRefused(await server.rest.post(PATHS.static, { address }), invalid("address", "address"));
      expectRefused(
        await server.unchangedBy(uri, () => server.rest.patch(uri, { address })),
        invalid("address"),
      );
    }
    expectRefused(await server.rest.post(PATHS.static, { tls: { enabled: true } }), invalid("address"));
  });

  it("a static backend is reached with or without TLS, and an update of its address does not change that", async () => {
    for (const enabled of [true, false]) {
      const { uri, tls } = await server.created(PATHS.static, {
        address: "example.com:443",
        tls: { enabled },
      });
      expect(tls).to.deep.equal({ enabled });
      expect((await server.rest.patch(uri, { address: "example.org:443" })).body.tls).to.deep.equal({
        enabled,
      });
      expect((await server.rest.patch(uri, { tls: { enabled: !enabled } })).body.tls).to.deep.equal({
        enabled: !enabled,
      });
    }
    for (const enabled of ["true", 1, []])
      expectRefused(
        await server.rest.post(PATHS.static, { address: "example.com:443", tls: { enabled } }),
        invalid("tls.enabled"),
      );
  });
});
