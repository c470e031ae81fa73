import {
  apiOnOneDatabase,
  expectRefused,
  invalid,
  missingReference,
  noSuchPath,
  notFound,
  unknownId,
} from "../support/api/expect";
import { TYPES } from "../support/api/types";
import { exchange } from "../support/rawHttp";
import type { RestAnswer } from "../support/rest";

const nested = (depth: number, open = "[", close = "]"): string => open.repeat(depth) + close.repeat(depth);

apiOnOneDatabase("Every request:", (server) => {
  const paths = TYPES.flatMap(({ path, prefix }) => [path, `${path}/${unknownId(prefix)}`]);
  const expectUnauthorized = (answer: RestAnswer, code: string): void => {
    expectRefused(answer, { status: 401, code });
    expect(answer.headers.get("www-authenticate")).to.match(/^Bearer\b/);
  };

  for (const path of paths)
    it(`${path} is closed to a request without an API key, with another scheme or an unknown key, and needs the header Service-Version: 2`, async () => {
      expectUnauthorized(await server.bare(path, server.headersWithout("authorization")), "TP_1100");
      for (const authorization of [
        "Bearer",
        "Basic dXNlcjpwYXNzd29yZA==",
        "tpk_without-a-scheme",
        "Bearer two words",
      ])
        expectUnauthorized(await server.rest.get(path, { authorization }), "TP_1100");
      const guessed = await server.rest.get(path, { authorization: "Bearer tpk_guessed-by-somebody" });
      expectUnauthorized(guessed, "TP_1101");
      expect(guessed.text).not.to.include("guessed");
      const refusal = { status: 400, code: "TP_1006", mentions: ["Service-Version", "2"] };
      expectRefused(await server.bare(path, server.headersWithout("service-version")), refusal);
      for (const version of ["1", "3", "latest"])
        expectRefused(await server.rest.get(path, { "service-version": version }), refusal);
    });

  it("a path that does not exist is not found, whatever the method", async () => {
    for (const path of ["/", "/nothing-here", "/credentials/a/b", "/edges", "/edges/tls/a/b/c"])
      for (const method of ["GET", "POST", "PATCH", "DELETE"])
        expectRefused(
          await server.rest.request(method, path, method === "POST" || method === "PATCH" ? {} : undefined),
          noSuchPath,
        );
  });

  it("an id that is far too long is not found", async () => {
    for (const length of [50, 500, 5000])
      expectRefused(await server.rest.get(`/credentials/cr_${"0".repeat(length)}`), notFound);
  });

  it("an id that contains NUL is not found", async () => {
    expectRefused(await server.rest.get("/credentials/cr_%00"), notFound);
    expectRefused(await server.rest.delete("/credentials/cr_%00"), notFound);
    expect((await server.rest.get("/credentials?before_id=cr_%00")).status).to.equal(200);
    expectRefused(
      await server.rest.post("/credentials", { owner_id: "usr_\0" }),
      missingReference("owner_id"),
    );
    const backend = { backend_id: "bkdtg_\0" };
    expectRefused(await server.rest.post("/edges/tls", { backend }), missingReference("backend.backend_id"));
  });

  it("the answer repeats the caller's X-Request-Id, also in a refusal", async () => {
    const headers = { "x-request-id": "deploy-42" };
    expect((await server.rest.get("/credentials", headers)).headers.get("x-request-id")).to.equal(
      "deploy-42",
    );
    const refused = await server.rest.get(`/credentials/${unknownId("cr")}`, headers);
    expectRefused(refused, notFound);
    expect(refused.body.details.operation_id).to.equal("deploy-42");
  });

  it("a request without X-Request-Id gets an operation id of its own", async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await server.rest.get("/credentials")).headers.get("x-request-id"));
    for (const id of ids) expect(id).to.match(/^op_[0-9A-Za-z]{27}$/);
    expect(new Set(ids).size).to.equal(3);
  });

  const raw = async (...lines: string[]): Promise<RestAnswer> => {
    const answer = await exchange(server.url, `${lines.join("\r\n")}\r\n\r\n`);
    if (!answer) throw new Error("The server closed the connection without an answer");
    return answer;
  };
  const withoutHost = (): string[] =>
    Object.entries(server.headersWithout()).map(([name, value]) => `${name}: ${value}`);

  it("bytes that are no HTTP request get an error of the usual shape", async () => {
    const notHttp = { status: 400, code: "TP_1009" };
    for (const line of [
      ...["hello", "GET /ip_policies HTTP/9.9", "FETCH /ip_policies HTTP/1.1"],
      "GET /ip policies HTTP/1.1",
    ])
      expectRefused(await raw(line, "Host: here"), notHttp);
    expectRefused(await raw("GET /ip_policies HTTP/1.1", "Host: here", "no header"), notHttp);
    expectRefused(await raw("GET /ip_policies HTTP/1.1", `X-Long: ${"a".repeat(17_000)}`), {
      status: 431,
      code: "TP_1405",
    });
  });

  it("an unknown Expect header is ignored", async () => {
    expect(
      (await raw("GET /ip_policies?limit=1 HTTP/1.1", "Host: here", "Expect: more", ...withoutHost())).status,
    ).to.equal(200);
  });

  const expectUnkept = (what: string, answer: Pick<RestAnswer, "headers">, caching = "no-store"): void => {
    expect(answer.headers.get("cache-control"), what).to.equal(caching);
    expect(answer.headers.get("x-content-type-options"), what).to.equal("nosniff");
  };

  it("every operation answers with Cache-Control: no-store and X-Content-Type-Options: nosniff", async () => {
    const { paths } = await server.read("/openapi-wire.json");
    let tried = 0;
    for (const [path, methods] of Object.entries(paths as Record<string, object>))
      for (const method of Object.keys(methods).filter((name) =>
        /^(get|put|post|patch|delete)$/.test(name),
      )) {
        const body = method === "get" || method === "delete" ? undefined : {};
        expectUnkept(
          `${method} ${path}`,
          await server.rest.request(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, "x"), body),
        );
        tried++;
      }
    expect(tried).to.be.above(100);
  });

  it("so does every answer beside the operations, refusals before a route is known included; only pages may be kept", async () => {
    const { uri } = await server.created("/ip_policies", {});
    expectUnkept("200", await server.rest.get(uri));
    const deleted = await server.rest.delete(uri);
    expect(deleted.status).to.equal(204);
    expectUnkept("204", deleted);
    for (const path of "/livez /readyz /metrics /openapi.json /openapi-wire.json /nothing-here /%zz".split(
      " ",
    ))
      expectUnkept(path, await server.rest.get(path));
    expectUnkept("401", await server.bare("/ip_policies", {}));
    expectUnkept("405", await server.rest.request("PUT", "/ip_policies", {}));
    expectUnkept("TRACE", await raw("TRACE /ip_policies HTTP/1.1", "Host: here"));
    expectUnkept("no HTTP request", await raw("hello"));
    expectUnkept("headers too large", await raw("GET / HTTP/1.1", `X-Long: ${"a".repeat(17_000)}`));
    for (const path of ["/docs", "/console", "/docs/main.mjs"])
      expectUnkept(path, await fetch(`${server.url}${path}`), "no-cache");
  });

  it("a name that stands twice in one object of a body is malformed JSON, wherever and however it is written", async () => {
    const malformed = (name: string) => ({
      status: 400,
      code: "TP_1000",
      mentions: ["twice", `"${name}"`, "character"],
    });
    for (const [body, name] of [
      ['{"description": "a", "metadata": "b", "description": "c"}', "description"],
      ['{"description": "a", "descr\\u0069ption": "c"}', "description"],
      ['{"metadata": "{\\"a\\": 1, \\"a\\": 2}", "description": "\\\\", "metadata": ""}', "metadata"],
      ['{"description": {"x": [{"y": 1}, {"y": 1, "y": 2}]}}', "y"],
    ] as const)
      expectRefused(await server.rest.post("/ip_policies", body), malformed(name));
    const objects = '[{"kind": "ip_policy", "key": "a", "fields": {"metadata": "x", "metadata": "y"}}]';
    expectRefused(
      await server.rest.post("/changesets", `{"set": "twice", "objects": ${objects}}`),
      malformed("metadata"),
    );
    const once = '{"description": "a", "metadata": "{\\"a\\": 1, \\"a\\": 2}"}';
    expect((await server.rest.post("/ip_policies", once)).status).to.equal(201);
  });

  it("texts of callers are cut in errors after 100 characters", async () => {
    const long = "x".repeat(5000);
    const answers = [
      await server.rest.get(`/edges/tls/${long}`),
      await server.rest.get(`/credentials/cr_${long}`),
      await server.rest.get(`/credentials/cr_${"x%20".repeat(1000)}`),
      await server.rest.get(`/${long}`),
      await server.rest.get(`/ip_policies?${long}=1`),
      await server.rest.get("/ip_policies", { "service-version": "2 x".repeat(1000) }),
      await server.rest.post("/ip_policies", { [long]: 1 }),
      await server.rest.post("/credentials", { owner_id: `usr_${"x".repeat(60)}`, acl: [`bind:${long}`] }),
      await server.rest.get(`/gateways/${long}`),
      await server.rest.get(`/changesets/${"x".repeat(255)}`),
    ];
    for (const { status, body } of answers) {
      expect(status, body.msg).to.be.within(400, 404);
      expect(JSON.stringify(body), body.msg).not.to.match(/(x ?){101}/);
    }
  });

  it("If-None-Match with the ETag of an object or a module answers 304 without a body, and anything else the object", async () => {
    const backend = await server.created("/backends/tunnel_group", { labels: { app: "cached" } });
    const edge = await server.created("/edges/tls", { backend: { backend_id: backend.id } });
    for (const uri of [edge.uri, `${edge.uri}/backend`, "/caller", "/audit_head"]) {
      const { headers } = await server.rest.get(uri);
      const etag = headers.get("etag") ?? "";
      for (const known of [etag, `"other", ${etag}`, `W/${etag}`, "*"]) {
        for (const method of ["GET", "HEAD"]) {
          const answer = await server.rest.request(method, uri, undefined, { "if-none-match": known });
          expect([answer.status, answer.text, answer.headers.get("etag")]).to.deep.equal([304, "", etag]);
        }
      }
      expect((await server.rest.get(uri, { "if-none-match": '"other"' })).status).to.equal(200);
      expectRefused(await server.rest.get(uri, { "if-none-match": "other" }), {
        status: 400,
        code: "TP_1008",
        mentions: ["If-None-Match"],
      });
    }
    await server.rest.patch(edge.uri, { description: "changed" });
    const etag = (await server.rest.get(`${edge.uri}/backend`)).headers.get("etag") ?? "";
    expect((await server.rest.get(edge.uri, { "if-none-match": '"1"' })).body.description).to.equal(
      "changed",
    );
    expect(
      (await server.rest.patch(edge.uri, { description: "again" }, { "if-none-match": etag })).status,
    ).to.equal(200);
  });

  it("Location is the absolute address of what was created, also of a route and of an entry of a list", async () => {
    const made = async (path: string, body: object): Promise<RestAnswer> => {
      const answer = await server.rest.post(path, body);
      expect(answer.status, answer.text).to.equal(201);
      expect(answer.headers.get("location")).to.equal(answer.body.uri);
      return answer;
    };
    const { body: edge } = await made("/edges/https", { hostports: ["located.example.com:443"] });
    await made(`/edges/https/${edge.id}/routes`, { match_type: "path_prefix", match: "/" });
    const { body: subscription } = await made("/event_subscriptions", {});
    await made(`/event_subscriptions/${subscription.id}/sources`, { type: "ip_policy_created.v0" });
  });

  it("a body with very deep nesting in any field is refused with the place, and harms nobody", async () => {
    for (const depth of [33, 10_000, 100_000]) {
      expectRefused(
        await server.rest.post("/edges/tls", `{"hostports": ${nested(depth)}}`),
        invalid("hostports[0][0]", "32"),
      );
      expectRefused(
        await server.rest.post(
          "/ip_policies",
          `{"unknown": ${nested(depth, '{"a":', "}").replace(":}", ":1}")}}`,
        ),
        invalid("unknown.a.a", "32"),
      );
      const config = { policies: { inbound: [{ actions: [{ type: "log", config: "X" }] }] } };
      const text = JSON.stringify(config).replace('"X"', `{"metadata":${nested(depth)}}`);
      expectRefused(await server.rest.post("/edges/tls", text), invalid("policies.inbound[0]", "32"));
    }
    expect((await server.rest.get("/ip_policies")).status).to.equal(200);
  });

  it("a body with a list or a map of many thousand entries is refused with the place", async () => {
    for (const [entries, size] of [
      ["{}", 300_000],
      ["1", 500_000],
      ['"a:1"', 1001],
    ] as const) {
      const list = `[${Array(size).fill(entries).join(",")}]`;
      expectRefused(
        await server.rest.post("/edges/tls", `{"policies": {"inbound": ${list}}}`),
        invalid("policies.inbound", String(size)),
      );
    }
    const labels = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`key${index}`, "x"]));
    expectRefused(await server.rest.post("/backends/tunnel_group", { labels }), invalid("labels", "1001"));
  });

  it("a body with a list that is too long is refused for that, and for nothing else in the list", async () => {
    const policies = { inbound: [{ actions: Array(101).fill({ type: 0, config: { "": null } }) }] };
    expectRefused(
      await server.rest.post("/edges/tls", { policies }),
      invalid("policies.inbound[0].actions", "100"),
    );
  });

  it("a body with thousands of errors is refused with a short error about the first ones", async () => {
    const policies = (count: number) =>
      Array.from({ length: count }, () => ({ actions: Array(90).fill({}), [`x${"y".repeat(500)}`]: 1 }));
    const tooMany = { inbound: policies(90), outbound: policies(90) };
    expectRefused(await server.rest.post("/edges/tls", { policies: tooMany }), invalid("policies", "10000"));
    const answer = await server.rest.post("/edges/tls", { policies: { inbound: policies(100) } });
    expect(answer.status).to.equal(400);
    expect(answer.body.msg).to.match(/and \d+ more$/);
    expect(answer.text.length).to.be.lessThan(10_000);
  });
});
