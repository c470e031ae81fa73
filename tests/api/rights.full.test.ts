import { definitionNamed, ROLES, type Role, registry } from "@tunnelplane/sdk/contract";
import { apiOnOneDatabase, unique, unknownId } from "../support/api/expect";
import { Rest, type RestAnswer } from "../support/rest";
import type { Endpoint } from "../support/rights";
import { endpointsIn, expectRefusedUnlikeAdmin, holds, isInScope, OTHERS } from "../support/rights";

/** Scopes beside none, and the roles with which they are tried. */
const SCOPES: readonly (readonly string[])[] = [
  ["read"],
  ["plan"],
  ["write"],
  ["tls_edge:read"],
  ["tls_edge:write", "bot_user:read"],
];

apiOnOneDatabase("The rights of a caller", (server) => {
  let endpoints: Endpoint[];
  let ids: Record<string, string>;

  before(async () => {
    endpoints = endpointsIn((await server.rest.get("/openapi.json")).body);
    ids = {
      edge_id: (await server.created("/edges/https", { hostports: [`${unique("h")}.example.com:443`] })).id,
    };
  });

  const clientOf = async (role: Role, scopes: readonly string[] = []) => {
    const bot = await server.created("/bot_users", { name: unique(role), role });
    return new Rest(server.url, (await server.created("/api_keys", { owner_id: bot.id, scopes })).token);
  };

  /** Names nothing that exists, so that what is allowed changes nothing. */
  const send = (rest: Rest, { method, path, kind }: Endpoint): Promise<RestAnswer> => {
    const filled = path
      .replace("{edge_id}", ids.edge_id ?? "")
      .replace("{id}", unknownId(kind ? definitionNamed(kind).idPrefix : "ev"))
      .replaceAll(/\{\w+\}/g, "unknown");
    return rest.request(
      method,
      filled,
      ["POST", "PUT", "PATCH"].includes(method) ? { unknown_field: 1 } : undefined,
    );
  };

  for (const role of ROLES)
    for (const scopes of role === "admin" || role === "viewer" ? [[], ...SCOPES] : [[]])
      it(`are what the role ${role} allows${scopes.length > 0 ? ` and the scopes ${scopes.join(", ")}` : ""}, at every endpoint`, async () => {
        const rest = await clientOf(role, scopes);
        const wrong: string[] = [];
        const check = async (endpoint: Endpoint) => {
          const isRole = holds(endpoint.row[role], endpoint.permission);
          const isAllowed = isRole && isInScope(scopes, endpoint);
          const answer = await send(rest, endpoint);
          const name = `${endpoint.method} ${endpoint.path} ${answer.status} ${answer.text.slice(0, 300)}`;
          if (isAllowed ? ![200, 204, 400, 404].includes(answer.status) : answer.status !== 403)
            wrong.push(name);
          if (isAllowed) return;
          const asAdmin = () => send(server.rest, endpoint);
          await expectRefusedUnlikeAdmin(answer, asAdmin, isRole ? "lacks the scope" : role);
        };
        for (let from = 0; from < endpoints.length; from += 4)
          await Promise.all(endpoints.slice(from, from + 4).map(check));
        expect(wrong, wrong.join("\n")).to.deep.equal([]);
        const metrics = await rest.get("/metrics");
        const readsMetrics = ["admin", "metrics"].includes(role) && !scopes.some((one) => one.includes(":"));
        expect(metrics.status).to.equal(readsMetrics ? 200 : 403);
      });

  it("are those of the matrix for every kind and every endpoint", () => {
    expect(endpoints.length).to.be.greaterThan(registry.length * 5);
    const named = endpoints.filter(({ kind }) => kind === undefined).map(({ id }) => id);
    expect(Object.keys(OTHERS)).to.have.members([...new Set(named)]);
  });
});
