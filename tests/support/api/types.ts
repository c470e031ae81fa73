import type { Definition, Kind } from "@tunnelplane/sdk/contract";
import { answerSchema, DEFAULT_PROJECT, marksOf, registry, withArticle } from "@tunnelplane/sdk/contract";
import type { Rest } from "../rest";
import { hostport, type Json, tcpHostport, unique } from "./expect";
import { certificate, destination, serverCertificate, sshKey } from "./fixtures";

/** What the tests for all resource types need to know of each that its definition does not say. */
interface Bodies {
  readonly body: (rest: Rest) => Json | Promise<Json>;
  readonly update?: Json;
  /** The unit of the limits of description and metadata. Default: bytes. */
  readonly lengthsIn?: "bytes" | "characters";
}

export interface ResourceType extends Bodies {
  readonly definition: Definition;
  readonly name: string;
  /** `{edge_id}` in it stands for the HTTPS edge of the file's server; see `RestBelowEdge`. */
  readonly path: string;
  readonly listKey: string;
  readonly prefix: string;
  /** The fields of an answer, besides those that all types have. */
  readonly fields: readonly string[];
  readonly unlisted: readonly string[];
}

export const COMMON_FIELDS = ["id", "uri", "created_at", "description", "metadata"];

export const asListed = <T extends object>({ unlisted }: ResourceType, object: T): T => ({
  ...object,
  ...Object.fromEntries(unlisted.map((field) => [field, null])),
});

const policyOf = async (rest: Rest): Promise<string> => (await rest.post("/ip_policies", {})).body.id;
const backendOf = async (rest: Rest): Promise<string> =>
  (await rest.post("/backends/tunnel_group", { labels: { app: unique() } })).body.id;
const destinationOf = async (rest: Rest): Promise<string> =>
  (await rest.post("/event_destinations", destination())).body.id;

const sshAuthorityOf = async (rest: Rest): Promise<string> =>
  (await rest.post("/ssh_certificate_authorities", {})).body.id;
const botOf = async (rest: Rest): Promise<string> =>
  (await rest.post("/bot_users", { name: unique("bot") })).body.id;

const BODIES: Readonly<Record<Exclude<Kind, "bot_user">, Bodies>> = {
  tunnel_credential: {
    body: () => ({ acl: ["bind:one.example.com"] }),
    update: { acl: ["bind:two.example.com"] },
  },
  ssh_credential: {
    body: () => ({ public_key: sshKey().openssh }),
    update: { acl: ["bind:two.example.com"] },
  },
  ssh_certificate_authority: { body: () => ({}) },
  ssh_user_certificate: {
    body: async (rest) => ({
      ssh_certificate_authority_id: await sshAuthorityOf(rest),
      public_key: sshKey().openssh,
      principals: ["ada"],
    }),
  },
  ssh_host_certificate: {
    body: async (rest) => ({
      ssh_certificate_authority_id: await sshAuthorityOf(rest),
      public_key: sshKey().openssh,
      principals: ["bastion.example.com"],
    }),
  },
  certificate_authority: { body: () => ({ ca_pem: certificate().pem }) },
  tls_certificate: { body: () => serverCertificate("*.example.com") },
  reserved_domain: {
    body: () => ({ domain: `${unique("app")}.example.com`, region: "eu" }),
    update: { resolves_to: [{ value: "192.0.2.1" }] },
  },
  reserved_addr: { body: () => ({ region: "eu" }) },
  ip_restriction: { body: async (rest) => ({ type: "endpoints", ip_policy_ids: [await policyOf(rest)] }) },
  ip_policy: { body: () => ({}) },
  ip_policy_rule: {
    body: async (rest) => ({ ip_policy_id: await policyOf(rest), cidr: "10.0.0.0/8", action: "allow" }),
    update: { cidr: "192.168.0.0/16" },
  },
  tunnel_group_backend: {
    body: () => ({ labels: { app: unique() } }),
    update: { labels: { app: "another" } },
  },
  tls_edge: {
    body: () => ({ hostports: [hostport()] }),
    update: { tls_termination: { enabled: false, terminate_at: "edge", min_version: "1.3" } },
  },
  tcp_edge: {
    body: () => ({ hostports: [tcpHostport()] }),
    update: { policies: { enabled: false, inbound: [], outbound: [] } },
  },
  failover_backend: { body: async (rest) => ({ backends: [await backendOf(rest), await backendOf(rest)] }) },
  weighted_backend: { body: async (rest) => ({ backends: { [await backendOf(rest)]: 10_000 } }) },
  http_response_backend: {
    body: () => ({ body: "Back soon", headers: { "content-type": "text/plain" }, status_code: 503 }),
    update: { body: "Gone", headers: {}, status_code: 410 },
  },
  static_backend: {
    body: () => ({ address: "one.example.com:443", tls: { enabled: true } }),
    update: { address: "two.example.com:80", tls: { enabled: false } },
  },
  https_edge: {
    body: () => ({ hostports: [hostport()] }),
    update: { tls_termination: { enabled: false, min_version: "1.3" } },
  },
  https_edge_route: {
    body: () => ({ match_type: "path_prefix", match: `/${unique()}` }),
    update: { match_type: "exact_path", match: "/another" },
  },
  event_destination: { body: () => destination() },
  event_subscription: {
    body: async (rest) => ({
      sources: [{ type: "ip_policy_created.v0" }],
      destination_ids: [await destinationOf(rest)],
    }),
    lengthsIn: "characters",
  },
  guarantee: {
    body: () => ({ expect: "refused", addresses: [`${hostport()}/admin`], client_certificate: "none" }),
    update: { methods: ["GET"] },
  },
  project: { body: () => ({ name: unique("project") }), update: { shared: true } },
  membership: {
    body: async (rest) => ({
      project_id: DEFAULT_PROJECT.id,
      role: "member",
      bot_user_id: await botOf(rest),
    }),
    update: { role: "viewer" },
  },
  api_key: { body: () => ({}), update: { scopes: ["read"] } },
  workload_identity: {
    body: async (rest) => ({
      issuer: "https://id.example.com",
      audiences: ["tunnels"],
      claims: { sub: "repo:acme/infra:*" },
      bot_user_id: await botOf(rest),
    }),
    update: {
      claims: { sub: "repo:acme/web:ref:refs/heads/main", environment: "prod*" },
      scopes: ["plan"],
      ttl: 60,
    },
  },
};

/** All but bots, which have no description and metadata, and tests of their own. */
export const TYPES: readonly ResourceType[] = registry.flatMap((definition): ResourceType | [] => {
  const { kind, title, path, listKey, idPrefix: prefix } = definition;
  if (kind === "bot_user") return [];
  const answer = Object.entries(answerSchema(definition).shape);
  return {
    ...{ definition, name: withArticle(title), path, listKey, prefix, ...BODIES[kind] },
    fields: answer.map(([name]) => name).filter((name) => !COMMON_FIELDS.includes(name)),
    unlisted: answer.flatMap(([name, schema]) => {
      const { onDemand, once } = marksOf(schema);
      return onDemand || once ? [name] : [];
    }),
  };
});
