import { expect } from "chai";
import {
  expectRefused,
  hostport,
  invalid,
  notJson,
  serverOfThisFile,
  unknownField,
} from "../../support/api/expect";
import { certificate } from "../../support/api/fixtures";
import { onOneDatabase } from "../../support/databases";
import { exchange } from "../../support/rawHttp";

onOneDatabase("A body is unambiguous or refused:", (start) => {
  const server = serverOfThisFile(start);

  const sendBytes = async (body: Buffer, type = "application/json") => {
    const headers = {
      host: new URL(server.url).host,
      ...server.headersWithout(),
      "content-type": type,
      "content-length": body.length,
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const answer = await exchange(
      server.url,
      Buffer.concat([Buffer.from(`POST /ip_policies HTTP/1.1\r\n${lines.join("")}\r\n`), body]),
    );
    if (!answer) throw new Error("The server closed the connection without an answer");
    return answer;
  };

  it("a missing or empty body changes nothing, for any operation", async () => {
    const edge = await server.created("/edges/tls", {
      hostports: [hostport()],
      policies: { inbound: [{ actions: [{ type: "deny" }] }] },
    });
    const json = { "content-type": "application/json" };
    for (const [method, path] of [
      ["PUT", `${edge.uri}/policies`],
      ["PATCH", edge.uri],
    ] as const)
      for (const body of [undefined, ""])
        expectRefused(
          await server.unchangedBy(edge.uri, () => server.rest.request(method, path, body, json)),
          {
            ...notJson,
            mentions: ["missing or empty"],
          },
        );
    const before = (await server.read("/credentials")).credentials.length;
    expectRefused(await server.rest.post("/credentials"), notJson);
    expectRefused(await server.rest.post("/credentials", ""), notJson);
    expect((await server.read("/credentials")).credentials.length).to.equal(before);
    await server.created("/credentials", {});
  });

  it("invalid UTF-8 and other charsets are refused", async () => {
    const latin = Buffer.from('{"description": "Zürich"}', "latin1");
    expectRefused(await sendBytes(latin), { ...notJson, mentions: ["UTF-8", "at character 19"] });
    const charset = (name: string) => `application/json; charset=${name}`;
    for (const name of ["latin1", "utf-16"])
      expectRefused(await sendBytes(Buffer.from("{}"), charset(name)), { ...notJson, mentions: [name] });
    for (const name of ["utf-8", "UTF-8"])
      expect((await sendBytes(Buffer.from("{}"), charset(name))).status).to.equal(201);
  });

  it("half of a surrogate pair is refused with its place, and a whole one is accepted", async () => {
    expectRefused(
      await server.rest.post("/ip_policies", '{"description": "a\\ud83d"}'),
      invalid("description", "surrogate"),
    );
    expectRefused(
      await server.rest.post("/backends/tunnel_group", '{"labels": {"a\\udc00": "b"}}'),
      invalid("labels", "surrogate"),
    );
    expect((await server.created("/ip_policies", '{"description": "\\ud83d\\ude87"}')).description).to.equal(
      "🚇",
    );
  });

  it("invalid JSON is refused with the place, and a forbidden name with its name", async () => {
    for (const [text, place] of [
      ['{"a": }', 7],
      ['{"a": 1,}', 9],
      ["{'a': 1}", 2],
      ['{"a" 1}', 6],
      ['{"a": 1', 8],
      ['{"a": "b\n"}', 9],
      ["{} x", 4],
      ["   ", 4],
      ['{"a": [1 2]}', 10],
      ['{"a": nul}', 7],
    ] as const)
      expectRefused(await server.rest.post("/ip_policies", text), {
        ...notJson,
        mentions: [`at character ${place}`],
      });
    expectRefused(
      await server.rest.post("/ip_policies", '{"__proto__": {}}'),
      unknownField("__proto__", "__proto__"),
    );
    expectRefused(
      await server.rest.post("/backends/tunnel_group", '{"labels": {"__proto__": "x"}}'),
      unknownField("labels.__proto__"),
    );
  });

  it("in an update, an empty value that the field does not allow counts as left out", async () => {
    const group = await server.created("/backends/tunnel_group", { labels: { app: "shop" } });
    expect((await server.rest.patch(group.uri, { labels: {}, description: "new" })).body).to.deep.include({
      labels: { app: "shop" },
      description: "new",
    });
    const fixed = await server.created("/backends/static", { address: "example.com:443" });
    expect((await server.rest.patch(fixed.uri, { address: "" })).body.address).to.equal("example.com:443");
    const route = await server.created("/edges/https/{edge_id}/routes", {
      match_type: "exact_path",
      match: "/zero",
    });
    expect((await server.rest.patch(route.uri, { match: "", match_type: "" })).body).to.include({
      match_type: "exact_path",
      match: "/zero",
    });
  });

  it("a list that restricts access cannot be empty while it is enabled", async () => {
    const ca = await server.created("/certificate_authorities", { ca_pem: certificate().pem });
    const edge = await server.created("/edges/tls", {
      hostports: [hostport()],
      mutual_tls: { certificate_authority_ids: [ca.id] },
    });
    for (const [module, list] of [
      ["mutual_tls", "certificate_authority_ids"],
      ["ip_restriction", "ip_policy_ids"],
    ] as const) {
      expectRefused(await server.rest.put(`${edge.uri}/${module}`, { [list]: [] }), invalid(list, "empty"));
      expectRefused(
        await server.rest.patch(edge.uri, { [module]: { [list]: [] } }),
        invalid(`${module}.${list}`, "empty"),
      );
      expect(
        (await server.rest.put(`${edge.uri}/${module}`, { enabled: false, [list]: [] })).status,
      ).to.equal(200);
    }
  });

  it("an issuer of tokens may be known by an http URL", async () => {
    const jwt = {
      issuer: { allow_list: [{ value: "http://id.example.com" }] },
      audience: { allow_list: [{ value: "shop" }] },
      http: { tokens: [{ type: "jwt", method: "header", name: "Authorization" }] },
      jws: {
        allowed_algorithms: ["RS256"],
        keys: { sources: { additional_jkus: ["https://id.example.com/jwks"] } },
      },
    };
    const route = { match_type: "exact_path", match: "/jwt", jwt_validation: jwt };
    expect(
      (await server.created("/edges/https/{edge_id}/routes", route)).jwt_validation.issuer,
    ).to.deep.equal(jwt.issuer);
  });

  it("a path that cannot be decoded is not found", async () => {
    expectRefused(await server.rest.get("/credentials/%zz"), {
      status: 404,
      code: "TP_1301",
      mentions: ["decoded"],
    });
  });
});
