import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import type { Rest } from "../rest";
import { hostport, type Json, tcpHostport, unique } from "./expect";
import { certificate, destination, serverCertificate, sshKey } from "./fixtures";

/** What the tests for all resource types need to know of each. */
export interface ResourceType {
  readonly name: string;
  /** `{edge_id}` in it stands for the HTTPS edge of the file's server; see `RestBelowEdge`. */
  readonly path: string;
  /** The key of the objects in lists. */
  readonly listKey: string;
  readonly prefix: string;
  /** The fields of an answer, besides those that all types have. */
  readonly fields: readonly string[];
  /** Those of them that only an answer about one object has; lists and events have null. */
  readonly detailOnly?: readonly string[];
  /** Those that only the answer to a creation has. */
  readonly once?: readonly string[];
  /** A body for a creation. Creates the objects that it refers to first. */
  readonly body: (rest: Rest) => Json | Promise<Json>;
  /** An update of fields besides description and metadata. */
  readonly update?: Json;
  /** The unit of the limits of description and metadata. Default: bytes. */
  readonly lengthsIn?: "bytes" | "characters";
}

export const COMMON_FIELDS = ["id", "uri", "created_at", "description", "metadata"];

/** An object as lists and events have it. */
export const asListed = <T extends object>({ detailOnly = [], once = [] }: ResourceType, object: T): T => ({
  ...object,
  ...Object.fromEntries([...detailOnly, ...once].map((field) => [field, null])),
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

/** The fields of an answer that user and host certificates have in common. */
const CERTIFICATE_FIELDS = [
  "ssh_certificate_authority_id",
  "public_key",
  "key_type",
  "principals",
  "valid_after",
  "valid_until",
  "certificate",
];

/** The fields of an answer about what may end. */
const END_FIELDS = ["expires_at", "expired"];

export const TYPES: readonly ResourceType[] = [
  {
    name: "a tunnel credential",
    path: "/credentials",
    listKey: "credentials",
    prefix: "cr",
    fields: ["token", "acl", "owner_id", ...END_FIELDS],
    once: ["token"],
    body: () => ({ acl: ["bind:one.example.com"] }),
    update: { acl: ["bind:two.example.com"] },
  },
  {
    name: "an SSH credential",
    path: "/ssh_credentials",
    listKey: "ssh_credentials",
    prefix: "sshcr",
    fields: ["public_key", "acl", "owner_id", ...END_FIELDS],
    body: () => ({ public_key: sshKey().openssh }),
    update: { acl: ["bind:two.example.com"] },
  },
  {
    name: "an SSH certificate authority",
    path: "/ssh_certificate_authorities",
    listKey: "ssh_certificate_authorities",
    prefix: "sshca",
    fields: ["private_key_type", "elliptic_curve", "key_size", "public_key", "key_type"],
    body: () => ({}),
  },
  {
    name: "an SSH user certificate",
    path: "/ssh_user_certificates",
    listKey: "ssh_user_certificates",
    prefix: "sucrt",
    fields: [...CERTIFICATE_FIELDS, "critical_options", "extensions"],
    body: async (rest) => ({
      ssh_certificate_authority_id: await sshAuthorityOf(rest),
      public_key: sshKey().openssh,
      principals: ["ada"],
    }),
  },
  {
    name: "an SSH host certificate",
    path: "/ssh_host_certificates",
    listKey: "ssh_host_certificates",
    prefix: "shcrt",
    fields: CERTIFICATE_FIELDS,
    body: async (rest) => ({
      ssh_certificate_authority_id: await sshAuthorityOf(rest),
      public_key: sshKey().openssh,
      principals: ["bastion.example.com"],
    }),
  },
  {
    name: "a certificate authority",
    path: "/certificate_authorities",
    listKey: "certificate_authorities",
    prefix: "ca",
    fields: ["ca_pem", "subject_common_name", "not_before", "not_after", "key_usages", "extended_key_usages"],
    body: () => ({ ca_pem: certificate().pem }),
  },
  {
    name: "a TLS certificate",
    path: "/tls_certificates",
    listKey: "tls_certificates",
    prefix: "cert",
    fields: [
      "certificate_pem",
      "private_key_pem",
      "subject_common_name",
      "subject_alternative_names",
      "issued_at",
      "not_before",
      "not_after",
      "key_usages",
      "extended_key_usages",
      "private_key_type",
      "issuer_common_name",
      "serial_number",
      "subject_organization",
      "subject_organizational_unit",
      "subject_locality",
      "subject_province",
      "subject_country",
    ],
    body: () => serverCertificate("*.example.com"),
  },
  {
    name: "a reserved domain",
    path: "/reserved_domains",
    listKey: "reserved_domains",
    prefix: "rd",
    fields: [
      "domain",
      "region",
      "certificate",
      "certificate_management_policy",
      "certificate_management_status",
      "resolves_to",
      "cname_target",
      "acme_tls_alpn",
      "acme_challenge_cname_target",
    ],
    body: () => ({ domain: `${unique("app")}.example.com`, region: "eu" }),
    update: { resolves_to: [{ value: "192.0.2.1" }] },
  },
  {
    name: "a reserved address",
    path: "/reserved_addrs",
    listKey: "reserved_addrs",
    prefix: "ra",
    fields: ["region", "addr"],
    body: () => ({ region: "eu" }),
  },
  {
    name: "an IP restriction",
    path: "/ip_restrictions",
    listKey: "ip_restrictions",
    prefix: "ipx",
    fields: ["enforced", "type", "ip_policies"],
    body: async (rest) => ({ type: "endpoints", ip_policy_ids: [await policyOf(rest)] }),
  },
  {
    name: "an IP policy",
    path: "/ip_policies",
    listKey: "ip_policies",
    prefix: "ipp",
    fields: [],
    body: () => ({}),
  },
  {
    name: "an IP policy rule",
    path: "/ip_policy_rules",
    listKey: "ip_policy_rules",
    prefix: "ipr",
    fields: ["cidr", "action", "ip_policy", ...END_FIELDS],
    body: async (rest) => ({ ip_policy_id: await policyOf(rest), cidr: "10.0.0.0/8", action: "allow" }),
    update: { cidr: "192.168.0.0/16" },
  },
  {
    name: "a tunnel-group backend",
    path: "/backends/tunnel_group",
    listKey: "backends",
    prefix: "bkdtg",
    fields: ["labels"],
    body: () => ({ labels: { app: unique() } }),
    update: { labels: { app: "another" } },
  },
  {
    name: "a TLS edge",
    path: "/edges/tls",
    listKey: "tls_edges",
    prefix: "edgtls",
    fields: [
      "hostports",
      "backend",
      "ip_restriction",
      "mutual_tls",
      "tls_termination",
      "policies",
      "waits_for",
    ],
    body: () => ({ hostports: [hostport()] }),
    update: { tls_termination: { enabled: false, terminate_at: "edge", min_version: "1.3" } },
  },
  {
    name: "a TCP edge",
    path: "/edges/tcp",
    listKey: "tcp_edges",
    prefix: "edgtcp",
    fields: ["hostports", "backend", "ip_restriction", "policies", "waits_for"],
    body: () => ({ hostports: [tcpHostport()] }),
    update: { policies: { enabled: false, inbound: [], outbound: [] } },
  },
  {
    name: "a failover backend",
    path: "/backends/failover",
    listKey: "backends",
    prefix: "bkdfo",
    fields: ["backends"],
    body: async (rest) => ({ backends: [await backendOf(rest), await backendOf(rest)] }),
  },
  {
    name: "a weighted backend",
    path: "/backends/weighted",
    listKey: "backends",
    prefix: "bkdwd",
    fields: ["backends"],
    body: async (rest) => ({ backends: { [await backendOf(rest)]: 10_000 } }),
  },
  {
    name: "an HTTP-response backend",
    path: "/backends/http_response",
    listKey: "backends",
    prefix: "bkdhr",
    fields: ["body", "headers", "status_code"],
    body: () => ({ body: "Back soon", headers: { "content-type": "text/plain" }, status_code: 503 }),
    update: { body: "Gone", headers: {}, status_code: 410 },
  },
  {
    name: "a static backend",
    path: "/backends/static",
    listKey: "backends",
    prefix: "bkdsc",
    fields: ["address", "tls"],
    body: () => ({ address: "one.example.com:443", tls: { enabled: true } }),
    update: { address: "two.example.com:80", tls: { enabled: false } },
  },
  {
    name: "an HTTPS edge",
    path: "/edges/https",
    listKey: "https_edges",
    prefix: "edghts",
    fields: ["hostports", "mutual_tls", "tls_termination", "waits_for", "routes"],
    body: () => ({ hostports: [hostport()] }),
    update: { tls_termination: { enabled: false, min_version: "1.3" } },
  },
  {
    name: "a route of an HTTPS edge",
    path: "/edges/https/{edge_id}/routes",
    listKey: "routes",
    prefix: "edghtsrt",
    fields: [
      "edge_id",
      "match_type",
      "match",
      "backend",
      "ip_restriction",
      "oidc",
      "jwt_validation",
      "user_agent_filter",
      "policies",
      "request_headers",
      "response_headers",
      "compression",
      "circuit_breaker",
      "webhook_verification",
      "waits_for",
    ],
    body: () => ({ match_type: "path_prefix", match: `/${unique()}` }),
    update: { match_type: "exact_path", match: "/another" },
  },
  {
    name: "an event destination",
    path: "/event_destinations",
    listKey: "event_destinations",
    prefix: "ed",
    fields: ["format", "target"],
    body: () => destination(),
  },
  {
    name: "an event subscription",
    path: "/event_subscriptions",
    listKey: "event_subscriptions",
    prefix: "esb",
    fields: ["sources", "destinations"],
    body: async (rest) => ({
      sources: [{ type: "ip_policy_created.v0" }],
      destination_ids: [await destinationOf(rest)],
    }),
    lengthsIn: "characters",
  },
  {
    name: "a guarantee",
    path: "/guarantees",
    listKey: "guarantees",
    prefix: "grnt",
    fields: [
      "expect",
      "addresses",
      "methods",
      "networks",
      "except_networks",
      "client_certificate",
      "token",
      "session",
      "mode",
      "state",
      "covered",
      "example",
      "reason",
    ],
    detailOnly: ["state", "covered", "example", "reason"],
    body: () => ({ expect: "refused", addresses: [`${hostport()}/admin`], client_certificate: "none" }),
    update: { methods: ["GET"] },
  },
  {
    name: "a project",
    path: "/projects",
    listKey: "projects",
    prefix: "proj",
    fields: ["name", "shared"],
    body: () => ({ name: unique("project") }),
    update: { shared: true },
  },
  {
    name: "a membership",
    path: "/memberships",
    listKey: "memberships",
    prefix: "mbr",
    fields: ["project_id", "role", "user_id", "bot_user_id", "group", ...END_FIELDS],
    body: async (rest) => ({
      project_id: DEFAULT_PROJECT.id,
      role: "member",
      bot_user_id: await botOf(rest),
    }),
    update: { role: "viewer" },
  },
  {
    name: "an API key",
    path: "/api_keys",
    listKey: "keys",
    prefix: "ak",
    fields: ["owner_id", "expires_at", "project_id", "scopes", "last_used_at", "token"],
    detailOnly: ["last_used_at"],
    once: ["token"],
    body: () => ({}),
    update: { scopes: ["read"] },
  },
  {
    name: "a workload identity",
    path: "/workload_identities",
    listKey: "workload_identities",
    prefix: "wid",
    fields: ["issuer", "audiences", "claims", "bot_user_id", "scopes", "ttl"],
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
];
