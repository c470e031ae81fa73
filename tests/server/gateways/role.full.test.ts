import { expect } from "chai";
import { expectRefused, invalid, serverOfThisFile, taken, unique } from "../../support/api/expect";
import { TYPES } from "../../support/api/types";
import { contentOf, execute, onEveryDatabase, rowsIn, untilTestEnds } from "../../support/databases";
import { Rest } from "../../support/rest";

/** All that the key of a gateway is for, by the ids of operations in the OpenAPI document. */
const READS = [
  "TlsEdge",
  "TcpEdge",
  "HttpsEdge",
  "HttpsEdgeRoute",
  "TunnelGroupBackend",
  "FailoverBackend",
  "WeightedBackend",
  "HttpResponseBackend",
  "StaticBackend",
  "IpPolicy",
  "IpPolicyRule",
  "CertificateAuthority",
  "TlsCertificate",
  "ReservedDomain",
  "IpRestriction",
  "SshHostCertificate",
];
const BESIDE = [
  "listEvents",
  "createBindAuthorization",
  "replaceGatewayStatus",
  "listGateways",
  "getGateway",
  "getCaller",
  "exchangeToken", // reads no key, but a token
  "createDeviceLogin", // reads no key, and is there where people sign in
  "createLoginKey", // the same
  "getSession", // says who is signed in, and nobody is
];
const forbidden = { status: 403, code: "TP_1200" };

onEveryDatabase("The key of a gateway", (start) => {
  const server = serverOfThisFile(start);
  const keyOf = async (role: string) => {
    const bot = await server.created("/bot_users", { name: unique(role), role });
    return new Rest(server.url, (await server.created("/api_keys", { owner_id: bot.id })).token);
  };

  const report = (rest: Rest, name: string) => rest.put(`/gateways/${name}/status`, {});
  const another = untilTestEnds(start);

  it("can change nothing, and read nothing that it need not: every operation of the OpenAPI document is tried", async () => {
    const rest = await keyOf("gateway");
    const ids = new Map<string, string>();
    for (const type of TYPES)
      ids.set(type.path, (await server.created(type.path, await type.body(server.rest))).id);
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as { paths: object };
    const operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, { operationId: string }>).map(([method, { operationId }]) => ({
        path,
        method,
        operationId,
      })),
    );
    const before = await contentOf(server.data);
    const taken: string[] = [];
    for (const { path, method, operationId } of operations) {
      if (BESIDE.includes(operationId)) continue;
      const collection = TYPES.find((type) => path.startsWith(`${type.path}/{id}`))?.path ?? "";
      const filled = path.replace("{id}", ids.get(collection) ?? "x").replaceAll(/\{(?!edge_id)\w+\}/g, "x");
      const answer = await rest.request(
        method.toUpperCase(),
        await server.uriOf(filled),
        ["post", "put", "patch"].includes(method) ? {} : undefined,
      );
      if (answer.status === 403) expectRefused(answer, forbidden);
      else taken.push(operationId);
    }
    expect(await contentOf(server.data)).to.deep.equal(before);
    const isRead = (operation: string) =>
      READS.some((type) => new RegExp(`^(list|get)${type.replace(/y$/, "(y|ie)")}`).test(operation));
    expect(taken.filter((operation) => !isRead(operation))).to.deep.equal([]);
    expect(taken.filter((operation) => operation.startsWith("list"))).to.have.length(READS.length);
    expectRefused(await rest.get("/metrics"), forbidden);
  });

  it("reads edges with the secrets of their modules, and answers whose it is", async () => {
    const rest = await keyOf("gateway");
    const edge = await server.created("/edges/https", { hostports: [`${unique("host")}.example.com:443`] });
    const oidc = {
      issuer: "https://id.example.com",
      client_id: "a",
      client_secret: "of-the-module",
      scopes: ["openid"],
    };
    await server.created(`/edges/https/${edge.id}/routes`, { match_type: "path_prefix", match: "/", oidc });
    expect((await rest.get(`/edges/https/${edge.id}`)).body.routes[0].oidc.client_secret).to.equal(
      "of-the-module",
    );
    expect((await rest.get("/caller")).body).to.include({ role: "gateway" });
  });

  it("comes from a bot that an admin made a gateway, at its creation and never later", async () => {
    const [member, gateway] = [await keyOf("member"), await keyOf("gateway")];
    for (const rest of [member, gateway])
      expectRefused(await rest.post("/bot_users", { name: "x", role: "gateway" }), forbidden);
    const bot = await server.created("/bot_users", { name: "edge-1", role: "gateway" });
    expect(bot.role).to.equal("gateway");
    expectRefused(await server.rest.patch(bot.uri, { role: "admin" }), {
      status: 400,
      code: "TP_1003",
      field: "role",
    });
  });

  it("reports for the name of its bot alone, which admins set and change", async () => {
    const bot = await server.created("/bot_users", { name: "edge", role: "gateway", gateway_name: "edge-a" });
    expect((await server.read(bot.uri)).gateway_name).to.equal("edge-a");
    const rest = new Rest(server.url, (await server.created("/api_keys", { owner_id: bot.id })).token);
    expect((await report(rest, "edge-a")).status).to.equal(204);
    expectRefused(await report(rest, "edge-b"), {
      ...forbidden,
      mentions: ['reports for "edge-a" alone', "have an admin set gateway_name"],
    });
    expect((await server.rest.patch(bot.uri, { gateway_name: "edge-b" })).body.gateway_name).to.equal(
      "edge-b",
    );
    expect((await report(rest, "edge-b")).status).to.equal(204);
    expectRefused(await report(rest, "edge-a"), forbidden);
    expect((await report(server.rest, "edge-a")).status, "an admin's key reports for any").to.equal(204);
  });

  it("is bound to the first name that it reports where its bot has none, and takes no name of another bot", async () => {
    const make = async () => {
      const bot = await server.created("/bot_users", { name: unique("edge"), role: "gateway" });
      expect(bot.gateway_name).to.equal(null);
      const keys = [1, 2].map(
        async () => new Rest(server.url, (await server.created("/api_keys", { owner_id: bot.id })).token),
      );
      return { bot, keys: await Promise.all(keys) };
    };
    const [first, second] = [await make(), await make()];
    const [one, another] = first.keys as [Rest, Rest];
    expect((await report(one, "first-name")).status).to.equal(204);
    expect((await server.read(first.bot.uri)).gateway_name).to.equal("first-name");
    expectRefused(await report(another, "second-name"), forbidden);
    expect((await report(another, "first-name")).status).to.equal(204);
    const [stranger] = second.keys as [Rest];
    expectRefused(await report(stranger, "first-name"), { ...forbidden, mentions: [second.bot.id] });
    expectRefused(
      await server.rest.patch(second.bot.uri, { gateway_name: "first-name" }),
      taken("gateway_name"),
    );
    expect((await report(stranger, "second-name")).status).to.equal(204);
    await server.rest.delete(second.bot.uri);
    const { events } = await server.read(`/events?object_id=${first.bot.id}&type=bot_user_updated.v0`);
    expect(events.map(({ changes }: { changes: object[] }) => changes)).to.deep.equal([
      [{ path: "gateway_name", old: null, new: "first-name" }],
    ]);
  });

  it("goes on where an older version stored its bot, and is bound to the first name that it reports", async () => {
    const bot = await server.created("/bot_users", { name: "old", role: "gateway" });
    const { token } = await server.created("/api_keys", { owner_id: bot.id });
    await execute(
      server.data,
      `update resource set document = replace(document, '"gateway_name":null,', '') where id = '${bot.id}'`,
    );
    const [{ document }] = (await rowsIn(
      server.data,
      `select document from resource where id = '${bot.id}'`,
    )) as [{ document: string }];
    expect(document).not.to.contain("gateway_name");
    const rest = new Rest(server.url, token);
    const name = unique("old");
    expect((await report(rest, name)).status).to.equal(204);
    expect((await server.read(bot.uri)).gateway_name).to.equal(name);
    expectRefused(await report(rest, unique("other")), forbidden);
  });

  it("is bound to one name even where two servers are given two at the same moment", async () => {
    const other = await another({ data: server.data });
    for (let round = 0; round < 8; round++) {
      const bot = await server.created("/bot_users", { name: unique("edge"), role: "gateway" });
      const { token } = await server.created("/api_keys", { owner_id: bot.id });
      const names = [unique("left"), unique("right")] as const;
      const answers = await Promise.all([
        report(new Rest(server.url, token), names[0]),
        report(new Rest(other.url, token), names[1]),
      ]);
      expect(answers.map(({ status }) => status)).to.have.members([204, 403]);
      const own = names[answers.findIndex(({ status }) => status === 204)];
      expect((await server.read(bot.uri)).gateway_name).to.equal(own);
    }
  });

  it("of a bot that has a name is the key of a gateway: no other role takes one, and no other form", async () => {
    for (const role of ["member", "admin"])
      expectRefused(await server.rest.post("/bot_users", { name: "x", role, gateway_name: "edge" }), {
        ...invalid("gateway_name"),
        mentions: ['for bots of role "gateway" alone'],
      });
    const member = await server.created("/bot_users", { name: "x" });
    expectRefused(await server.rest.patch(member.uri, { gateway_name: "edge" }), invalid("gateway_name"));
    for (const wrong of ["a b", "-a", "a/b", "a".repeat(256), "ä", 7])
      expectRefused(
        await server.rest.post("/bot_users", { name: "x", role: "gateway", gateway_name: wrong }),
        invalid("gateway_name"),
      );
  });
});
