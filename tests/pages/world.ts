import { newId } from "@tunnelplane/sdk/contract";
import { type Json, unique } from "../support/api/expect";
import { certificate } from "../support/api/fixtures";
import { execute } from "../support/databases";
import { Rest } from "../support/rest";
import type { ServerProcess } from "../support/server";

/** What a console has to show, beside thousands of other objects. */
export interface ConsoleWorld {
  readonly edge: string;
  readonly backend: string;
  readonly destination: string;
  readonly member: string;
  readonly route: string;
}

const EDGES = 2_000;
const POLICIES = 8_000;

export async function fillForConsole(server: ServerProcess): Promise<ConsoleWorld> {
  const rest = new Rest(server.url, server.apiKey);
  const made = async (path: string, body: Json): Promise<Json & { id: string }> => {
    const answer = await rest.post(path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.text}`);
    return answer.body;
  };
  const policy = await made("/ip_policies", { description: "our offices" });
  await made("/ip_policy_rules", { ip_policy_id: policy.id, cidr: "192.0.2.0/24", action: "allow" });
  const authority = await made("/certificate_authorities", {
    description: "our partners",
    ca_pem: certificate({ name: "Partners CA" }).pem,
  });
  const blue = await made("/backends/tunnel_group", {
    description: "blue",
    labels: { service: "web", color: "blue" },
  });
  const green = await made("/backends/tunnel_group", {
    description: "green",
    labels: { service: "web", color: "green" },
  });
  const both = await made("/backends/weighted", {
    description: "blue and green",
    backends: { [blue.id]: 95, [green.id]: 5 },
  });
  const farm = await made("/credentials", {
    description: "build farm",
    acl: ["bind:service=web", "bind:color=*"],
  });
  const edge = await made("/edges/tls", {
    description: "the partners' door",
    hostports: ["app.example.com:443"],
    backend: { backend_id: both.id },
    ip_restriction: { ip_policy_ids: [policy.id] },
    mutual_tls: { certificate_authority_ids: [authority.id] },
    tls_termination: { min_version: "1.3" },
    policies: {
      inbound: [{ expressions: ['conn.tls.sni == "old.example.com"'], actions: [{ type: "deny" }] }],
    },
  });
  const site = await made("/edges/https", { hostports: ["www.example.com:443"] });
  const route = await made(`/edges/https/${site.id}/routes`, {
    match_type: "path_prefix",
    match: "/admin",
    backend: { backend_id: blue.id },
    oidc: {
      issuer: "https://id.example.com",
      client_id: "site",
      client_secret: "never shown in a console",
      scopes: ["openid"],
    },
  });
  const plain = await made("/edges/tls", {
    hostports: ["edge.example.com:443"],
    backend: { backend_id: blue.id },
  });
  await copyInDatabase(server.data, { edge: plain.id, backend: blue.id, policy: policy.id });
  const destination = await made("/event_destinations", {
    description: "our audit trail",
    target: { monitoring_service: { api_key: "a key never shown in a console", service: "tunnels" } },
  });
  await made("/event_subscriptions", {
    sources: [{ type: "ip_policy_created.v0" }],
    destination_ids: [destination.id],
  });
  await made("/ip_policies", { description: unique("refused") });
  await made("/guarantees", {
    ...{ description: "partners show their certificate", expect: "refused" },
    ...{ addresses: ["app.example.com:443"], client_certificate: "none" },
  });
  await made("/guarantees", {
    ...{ description: "nobody outside is let in without a certificate", expect: "refused" },
    ...{ addresses: ["edge.example.com:443"], except_networks: ["10.0.0.0/8"] },
    ...{ client_certificate: "none", mode: "report" },
  });
  const bot = await made("/bot_users", { name: "ada" });
  const member = await made("/api_keys", { owner_id: bot.id, description: "Ada's laptop" });
  await rest.put("/gateways/berlin-1/status", {
    version: "0.1.0",
    envoy_version: "1.36.2",
    agents: [
      {
        ...{ credential: farm.id, session: newId("ts"), bind: ["bind:color=blue"] },
        ...{ address: "198.51.100.7", since: "2026-01-02T03:04:05Z" },
      },
    ],
    edges: [
      { id: edge.id, state: "applied" },
      {
        id: site.id,
        state: "rejected",
        reason: "the route /admin needs a key that this gateway does not have",
      },
    ],
  });
  return {
    ...{ edge: edge.id, backend: blue.id, destination: destination.id, member: member.token as string },
    route: `edges/https/${site.id}/routes/${route.id}`,
  };
}

/** Copies a policy and an edge many times, in the database: as requests, so many would take minutes. */
const copyInDatabase = (
  data: string,
  { edge, backend, policy }: { edge: string; backend: string; policy: string },
): Promise<void> => {
  const copies = (prefix: string, count: number, from: string, document: string) => `
    insert into resource (id, kind, owner_id, version, document)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
    select '${prefix}_' || printf('%027d', i), kind, owner_id, 1, ${document} from resource, n where id = '${from}';`;
  const idOf = (prefix: string) => `'${prefix}_' || printf('%027d', i)`;
  return execute(
    data,
    `${copies("ipp", POLICIES, policy, `replace(document, '${policy}', ${idOf("ipp")})`)}
    ${copies("edgtls", EDGES, edge, `replace(replace(document, '${edge}', ${idOf("edgtls")}), 'edge.example.com', printf('edge%04d.example.com', i))`)}
    insert into unique_key (scope, value, resource_id)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${EDGES})
    select 'hostport', printf('edge%04d.example.com:443', i), ${idOf("edgtls")} from n;
    insert into reference (from_id, to_id, field, cascades)
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${EDGES})
    select ${idOf("edgtls")}, '${backend}', 'backend.backend_id', 0 from n;`,
  );
};
