import { expect } from "chai";
import { expectRefused, serverOfThisFile, unique } from "../support/api/expect";
import { TYPES } from "../support/api/types";
import { contentOf, onEveryDatabase } from "../support/databases";
import { Rest } from "../support/rest";

/** All that the key of a gateway is for, by the ids of operations in the OpenAPI document. */
const READS = [
  "TlsEdge",
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
  "SshHostCertificate",
];
const BESIDE = ["listEvents", "createBindAuthorization", "replaceGatewayStatus", "listGateways", "getGateway", "getCaller"];
const forbidden = { status: 403, code: "TP_1200" };

onEveryDatabase("The key of a gateway", (start) => {
  const server = serverOfThisFile(start);
  const keyOf = async (role: string) => {
    const bot = await server.created("/bot_users", { name: unique(role), role });
    return new Rest(server.url, (await server.created("/api_keys", { owner_id: bot.id })).token);
  };

  it("can change nothing, and read nothing that it need not: every operation of the OpenAPI document is tried", async () => {
    const rest = await keyOf("gateway");
    const ids = new Map<string, string>();
    for (const type of TYPES) ids.set(type.path, (await server.created(type.path, await type.body(server.rest))).id);
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
    const isRead = (operation: string) => READS.some((type) => new RegExp(`^(list|get)${type.replace(/y$/, "(y|ie)")}`).test(operation));
    expect(taken.filter((operation) => !isRead(operation))).to.deep.equal([]);
    expect(taken.filter((operation) => operation.startsWith("list"))).to.have.length(READS.length);
    expectRefused(await rest.get("/metrics"), forbidden);
  });

  it("reads edges with the secrets of their modules, and tells whose it is", async () => {
    const rest = await keyOf("gateway");
    const edge = await server.created("/edges/https", { hostports: [`${unique("host")}.example.com:443`] });
    const oidc = { issuer: "https://id.example.com", client_id: "a", client_secret: "of-the-module", scopes: ["openid"] };
    await server.created(`/edges/https/${edge.id}/routes`, { match_type: "path_prefix", match: "/", oidc });
    expect((await rest.get(`/edges/https/${edge.id}`)).body.routes[0].oidc.client_secret).to.equal("of-the-module");
    expect((await rest.get("/caller")).body).to.include({ role: "gateway" });
  });

  it("comes from a bot that an admin made a gateway, at its creation and never later", async () => {
    const [member, gateway] = [await keyOf("member"), await keyOf("gateway")];
    for (const rest of [member, gateway]) expectRefused(await rest.post("/bot_users", { name: "x", role: "gateway" }), forbidden);
    const bot = await server.created("/bot_users", { name: "edge-1", role: "gateway" });
    expect(bot.role).to.equal("gateway");
    expectRefused(await server.rest.patch(bot.uri, { role: "admin" }), { status: 400, code: "TP_1003", field: "role" });
  });
});
