// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.

/** The kinds of objects, in the order of the contract. */
export const KINDS = [
  {
    "kind": "tunnel_credential",
    "one": "Tunnel credential",
    "title": "Tunnel credentials",
    "path": "/credentials",
    "listKey": "credentials",
    "idPrefix": "cr",
    "access": "owner",
    "doc": "An authtoken with which an agent starts tunnel sessions. Its ACL limits what those sessions may bind. Only its owner, viewers and admins can see it.",
    "secrets": [
      "token"
    ],
    "example": "const agent = new tunnels.TunnelCredential(\"agent\", {\n  description: \"build farm\",\n  acl: [\"bind:*.build.example.com\"],\n});\nexport const authtoken = agent.token; // a secret output",
    "modules": []
  },
  {
    "kind": "ssh_credential",
    "one": "SSH credential",
    "title": "SSH credentials",
    "path": "/ssh_credentials",
    "listKey": "ssh_credentials",
    "idPrefix": "sshcr",
    "access": "owner",
    "doc": "A public key that may start tunnels through the SSH gateway. Its ACL limits what those tunnels may bind. Only its owner, viewers and admins can see it.",
    "secrets": [],
    "example": "const laptop = new tunnels.SshCredential(\"laptop\", {\n  publicKey: \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMkNYQWiQPNhl0hNGkgAazcHXyNW+jYlTu7YdBlCiWxn ada\",\n  acl: [\"bind:ada.example.com\"],\n});",
    "modules": []
  },
  {
    "kind": "ssh_certificate_authority",
    "one": "SSH certificate authority",
    "title": "SSH certificate authorities",
    "path": "/ssh_certificate_authorities",
    "listKey": "ssh_certificate_authorities",
    "idPrefix": "sshca",
    "access": "everyone",
    "doc": "A key pair that signs SSH certificates for users and hosts. The server generates it; the private key never leaves the server.",
    "secrets": [],
    "example": "const people = new tunnels.SshCertificateAuthority(\"people\", {\n  description: \"signs who may log in\",\n});\nexport const trustedUserCaKeys = people.publicKey; // for sshd_config",
    "modules": []
  },
  {
    "kind": "ssh_user_certificate",
    "one": "SSH user certificate",
    "title": "SSH user certificates",
    "path": "/ssh_user_certificates",
    "listKey": "ssh_user_certificates",
    "idPrefix": "sucrt",
    "access": "everyone",
    "doc": "A certificate with which the holder of a key logs in over SSH, for a limited time, wherever its authority is trusted.",
    "secrets": [],
    "example": "const people = new tunnels.SshCertificateAuthority(\"people\");\nconst ada = new tunnels.SshUserCertificate(\"ada\", {\n  sshCertificateAuthorityId: people.id,\n  publicKey: \"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMkNYQWiQPNhl0hNGkgAazcHXyNW+jYlTu7YdBlCiWxn ada\",\n  principals: [\"ada\"],\n  validFor: \"7d\",\n  renewBefore: \"2d\", // a run in the last two days creates a new one\n});",
    "modules": []
  },
  {
    "kind": "ssh_host_certificate",
    "one": "SSH host certificate",
    "title": "SSH host certificates",
    "path": "/ssh_host_certificates",
    "listKey": "ssh_host_certificates",
    "idPrefix": "shcrt",
    "access": "everyone",
    "doc": "A certificate with which a host proves its names to SSH clients that trust its authority. Users need not compare fingerprints then.",
    "secrets": [],
    "example": "const hosts = new tunnels.SshCertificateAuthority(\"hosts\");\nconst bastion = new tunnels.SshHostCertificate(\"bastion\", {\n  sshCertificateAuthorityId: hosts.id,\n  publicKey: readFileSync(\"ssh_host_ed25519_key.pub\", \"utf8\"),\n  principals: [\"bastion.example.com\"],\n  validFor: \"90d\",\n  renewBefore: \"30d\",\n});",
    "modules": []
  },
  {
    "kind": "certificate_authority",
    "one": "Certificate authority",
    "title": "Certificate authorities",
    "path": "/certificate_authorities",
    "listKey": "certificate_authorities",
    "idPrefix": "ca",
    "access": "everyone",
    "doc": "An X.509 certificate authority whose client certificates an edge accepts for mutual TLS. Only the certificate is uploaded, never its key.",
    "secrets": [],
    "example": "const clients = new tunnels.CertificateAuthority(\"clients\", {\n  description: \"signs the certificates of our partners\",\n  caPem: readFileSync(\"clients-ca.pem\", \"utf8\"),\n});",
    "modules": []
  },
  {
    "kind": "ip_policy",
    "one": "IP policy",
    "title": "IP policies",
    "path": "/ip_policies",
    "listKey": "ip_policies",
    "idPrefix": "ipp",
    "access": "everyone",
    "doc": "A named set of rules that say which source addresses may connect. Its rules are objects of their own; deleting a policy deletes them.",
    "secrets": [],
    "example": "const office = new tunnels.IpPolicy(\"office\", { description: \"our offices\" });",
    "modules": []
  },
  {
    "kind": "ip_policy_rule",
    "one": "IP policy rule",
    "title": "IP policy rules",
    "path": "/ip_policy_rules",
    "listKey": "ip_policy_rules",
    "idPrefix": "ipr",
    "access": "everyone",
    "doc": "Allows or denies one network within an IP policy.",
    "secrets": [],
    "example": "const office = new tunnels.IpPolicy(\"office\");\nconst berlin = new tunnels.IpPolicyRule(\"berlin\", {\n  ipPolicyId: office.id,\n  cidr: \"192.0.2.0/24\",\n  action: \"allow\",\n});",
    "modules": []
  },
  {
    "kind": "tunnel_group_backend",
    "one": "Tunnel-group backend",
    "title": "Tunnel-group backends",
    "path": "/backends/tunnel_group",
    "listKey": "backends",
    "idPrefix": "bkdtg",
    "access": "everyone",
    "doc": "Sends traffic to every tunnel that has all of these labels.",
    "secrets": [],
    "example": "const web = new tunnels.TunnelGroupBackend(\"web\", {\n  labels: { service: \"web\", env: \"prod\" },\n});",
    "modules": []
  },
  {
    "kind": "failover_backend",
    "one": "Failover backend",
    "title": "Failover backends",
    "path": "/backends/failover",
    "listKey": "backends",
    "idPrefix": "bkdfo",
    "access": "everyone",
    "doc": "Sends traffic to the first of its backends that can take it.",
    "secrets": [],
    "example": "const web = new tunnels.TunnelGroupBackend(\"web\", { labels: { service: \"web\" } });\nconst sorry = new tunnels.HttpResponseBackend(\"sorry\", { statusCode: 503, body: \"back soon\" });\nconst site = new tunnels.FailoverBackend(\"site\", { backends: [web.id, sorry.id] });",
    "modules": []
  },
  {
    "kind": "weighted_backend",
    "one": "Weighted backend",
    "title": "Weighted backends",
    "path": "/backends/weighted",
    "listKey": "backends",
    "idPrefix": "bkdwd",
    "access": "everyone",
    "doc": "Spreads traffic over its backends in proportion to their weights.",
    "secrets": [],
    "example": "const blue = new tunnels.TunnelGroupBackend(\"blue\", { labels: { color: \"blue\" } });\nconst green = new tunnels.TunnelGroupBackend(\"green\", { labels: { color: \"green\" } });\nconst both = new tunnels.WeightedBackend(\"both\", {\n  backends: pulumi.all([blue.id, green.id]).apply(([b, g]) => ({ [b]: 95, [g]: 5 })),\n});",
    "modules": []
  },
  {
    "kind": "http_response_backend",
    "one": "HTTP-response backend",
    "title": "HTTP-response backends",
    "path": "/backends/http_response",
    "listKey": "backends",
    "idPrefix": "bkdhr",
    "access": "everyone",
    "doc": "Answers every request with the same response, for example a maintenance page.",
    "secrets": [],
    "example": "const maintenance = new tunnels.HttpResponseBackend(\"maintenance\", {\n  statusCode: 503,\n  headers: { \"retry-after\": \"600\" },\n  body: \"back in ten minutes\",\n});",
    "modules": []
  },
  {
    "kind": "static_backend",
    "one": "Static backend",
    "title": "Static backends",
    "path": "/backends/static",
    "listKey": "backends",
    "idPrefix": "bkdsc",
    "access": "everyone",
    "doc": "Sends traffic to a fixed address.",
    "secrets": [],
    "example": "const legacy = new tunnels.StaticBackend(\"legacy\", { address: \"10.0.0.7:8443\", tls: { enabled: true } });",
    "modules": []
  },
  {
    "kind": "tls_edge",
    "one": "TLS edge",
    "title": "TLS edges",
    "path": "/edges/tls",
    "listKey": "tls_edges",
    "idPrefix": "edgtls",
    "access": "everyone",
    "doc": "Serves hostports over TLS and sends their traffic to a backend. Its modules restrict, authenticate and shape that traffic; each can be declared here or as a resource of its own.",
    "secrets": [],
    "example": "const edge = new tunnels.TlsEdge(\"edge\", {\n  hostports: [\"app.example.com:443\"],\n  backend: { backendId: web.id },\n  mutualTls: { certificateAuthorityIds: [clients.id] },\n  tlsTermination: { minVersion: \"1.3\" },\n});",
    "modules": [
      {
        "name": "backend",
        "doc": "The backend of the traffic."
      },
      {
        "name": "ip_restriction",
        "doc": "Limits the source addresses that may connect."
      },
      {
        "name": "mutual_tls",
        "doc": "Requires client certificates of certain authorities."
      },
      {
        "name": "tls_termination",
        "doc": "Sets where TLS is terminated, and the lowest version."
      },
      {
        "name": "policies",
        "doc": "Conditions and actions on inbound and outbound traffic."
      }
    ]
  },
  {
    "kind": "tcp_edge",
    "one": "TCP edge",
    "title": "TCP edges",
    "path": "/edges/tcp",
    "listKey": "tcp_edges",
    "idPrefix": "edgtcp",
    "access": "everyone",
    "doc": "Serves ports over TCP and sends the bytes of each connection to a backend as they are. Connections say no name, so a port belongs to one edge. Its modules restrict and shape that traffic; each can be declared here or as a resource of its own.",
    "secrets": [],
    "example": "const edge = new tunnels.TcpEdge(\"edge\", {\n  hostports: [\"db.example.com:20001\"],\n  backend: { backendId: database.id },\n  ipRestriction: { ipPolicyIds: [office.id] },\n});",
    "modules": [
      {
        "name": "backend",
        "doc": "The backend of the traffic."
      },
      {
        "name": "ip_restriction",
        "doc": "Limits the source addresses that may connect."
      },
      {
        "name": "policies",
        "doc": "Conditions and actions on inbound and outbound traffic."
      }
    ]
  },
  {
    "kind": "https_edge",
    "one": "HTTPS edge",
    "title": "HTTPS edges",
    "path": "/edges/https",
    "listKey": "https_edges",
    "idPrefix": "edghts",
    "access": "everyone",
    "doc": "Serves hostports over HTTPS and hands each request to the route that matches its path. Deleting an edge deletes its routes, which have at most 4 MiB together.",
    "secrets": [],
    "example": "const site = new tunnels.HttpsEdge(\"site\", {\n  hostports: [\"www.example.com:443\"],\n  tlsTermination: { minVersion: \"1.3\" },\n});",
    "modules": [
      {
        "name": "mutual_tls",
        "doc": "Requires client certificates of certain authorities."
      },
      {
        "name": "tls_termination",
        "doc": "Sets the lowest TLS version."
      }
    ]
  },
  {
    "kind": "https_edge_route",
    "one": "HTTPS edge route",
    "title": "HTTPS edge routes",
    "path": "/edges/https/{edge_id}/routes",
    "listKey": "routes",
    "idPrefix": "edghtsrt",
    "access": "everyone",
    "doc": "Handles the requests whose path matches: its modules decide who may send them, and its backend gets them.",
    "secrets": [
      "oidc.client_secret",
      "webhook_verification.secret"
    ],
    "example": "const api = new tunnels.HttpsEdgeRoute(\"api\", {\n  edgeId: site.id,\n  matchType: \"path_prefix\",\n  match: \"/api\",\n  backend: { backendId: web.id },\n  jwtValidation: {\n    issuer: { allowList: [{ value: \"https://id.example.com\" }] },\n    audience: { allowList: [{ value: \"api\" }] },\n    http: { tokens: [{ type: \"jwt\", method: \"header\", name: \"Authorization\", prefix: \"Bearer \" }] },\n    jws: { allowedAlgorithms: [\"RS256\"], keys: { sources: { additionalJkus: [\"https://id.example.com/jwks\"] } } },\n  },\n});",
    "modules": [
      {
        "name": "backend",
        "doc": "The backend of the traffic."
      },
      {
        "name": "ip_restriction",
        "doc": "Limits the source addresses that may connect."
      },
      {
        "name": "oidc",
        "doc": "Signs users in with an OpenID Connect provider."
      },
      {
        "name": "jwt_validation",
        "doc": "Admits only requests with a valid JSON Web Token."
      },
      {
        "name": "user_agent_filter",
        "doc": "Allows or denies requests by their User-Agent header."
      },
      {
        "name": "policies",
        "doc": "Conditions and actions on inbound and outbound traffic."
      },
      {
        "name": "request_headers",
        "doc": "Changes headers of each request. Backends get them; modules that decide about the request see the headers that the caller sent."
      },
      {
        "name": "response_headers",
        "doc": "Changes headers of each response."
      },
      {
        "name": "compression",
        "doc": "Compresses answers with brotli or gzip, as the caller asks in Accept-Encoding: texts, JSON, JavaScript, XML, SVG and WebAssembly of 256 bytes and more."
      },
      {
        "name": "circuit_breaker",
        "doc": "Answers 503 for a while where the backend fails too often, instead of asking it."
      },
      {
        "name": "webhook_verification",
        "doc": "Refuses requests that a service did not sign with a secret that you share with it. Bodies have at most 1 MiB; larger ones are answered 413."
      }
    ]
  },
  {
    "kind": "tls_certificate",
    "one": "TLS certificate",
    "title": "TLS certificates",
    "path": "/tls_certificates",
    "listKey": "tls_certificates",
    "idPrefix": "cert",
    "access": "everyone",
    "doc": "A certificate with its private key, which gateways serve for the reserved domains that name it. Its key is stored sealed, and no answer shows it; gateways alone get it.",
    "secrets": [
      "private_key_pem"
    ],
    "example": "const certificate = new tunnels.TlsCertificate(\"app\", {\n  certificatePem: readFileSync(\"app.example.com.pem\", \"utf8\"),\n  privateKeyPem: config.requireSecret(\"appKey\"),\n});",
    "modules": []
  },
  {
    "kind": "reserved_domain",
    "one": "Reserved domain",
    "title": "Reserved domains",
    "path": "/reserved_domains",
    "listKey": "reserved_domains",
    "idPrefix": "rd",
    "access": "everyone",
    "doc": "Keeps a domain for its project: no other project can serve it, let agents bind it or sign an SSH host certificate for it. It may name the certificate that gateways serve for it.",
    "secrets": [],
    "example": "const domain = new tunnels.ReservedDomain(\"app\", {\n  domain: \"app.example.com\",\n  certificateId: certificate.id,\n});",
    "modules": []
  },
  {
    "kind": "reserved_addr",
    "one": "Reserved address",
    "title": "Reserved addresses",
    "path": "/reserved_addrs",
    "listKey": "reserved_addrs",
    "idPrefix": "ra",
    "access": "everyone",
    "doc": "Keeps an address with a port for its project. The server chooses a free port of its `--tcp-ports`.",
    "secrets": [],
    "example": "const address = new tunnels.ReservedAddr(\"database\", { description: \"for our database\" });\nconst edge = new tunnels.TcpEdge(\"database\", { hostports: [address.addr] });",
    "modules": []
  },
  {
    "kind": "ip_restriction",
    "one": "IP restriction",
    "title": "IP restrictions",
    "path": "/ip_restrictions",
    "listKey": "ip_restrictions",
    "idPrefix": "ipx",
    "access": "accountWrites",
    "doc": "Says from which addresses the API, the console, gateways by their agents, or all edges of the account may be reached. Several of one type admit whom any of their policies admits. Only admins of the account may change it.",
    "secrets": [],
    "example": "const api = new tunnels.IpRestriction(\"api\", {\n  type: \"api\",\n  enforced: false,\n  ipPolicyIds: [office.id],\n});",
    "modules": []
  },
  {
    "kind": "event_destination",
    "one": "Event destination",
    "title": "Event destinations",
    "path": "/event_destinations",
    "listKey": "event_destinations",
    "idPrefix": "ed",
    "access": "admin",
    "doc": "A service that receives events, with the credentials for it. It has no effect until a subscription names it. Only admins may change it; only they and viewers see it.",
    "secrets": [
      "target.delivery_service.auth.creds.cloud_secret_access_key",
      "target.stream_service.auth.creds.cloud_secret_access_key",
      "target.log_service.auth.creds.cloud_secret_access_key",
      "target.monitoring_service.api_key",
      "target.webhook.secret",
      "target.webhook.headers"
    ],
    "example": "const audit = new tunnels.EventDestination(\"audit\", {\n  target: {\n    logService: {\n      logGroupRef: \"arn:aws:logs:eu-central-1:123456789012:log-group:tunnels\",\n      auth: { role: { roleRef: \"arn:aws:iam::123456789012:role/tunnels\" } },\n    },\n  },\n});",
    "modules": []
  },
  {
    "kind": "event_subscription",
    "one": "Event subscription",
    "title": "Event subscriptions",
    "path": "/event_subscriptions",
    "listKey": "event_subscriptions",
    "idPrefix": "esb",
    "access": "admin",
    "doc": "Sends the events of some types to some destinations. Only admins may change it; only they and viewers see it.",
    "secrets": [],
    "example": "const watch = new tunnels.EventSubscription(\"watch\", {\n  sources: [{ type: \"ip_policy_created.v0\" }, { type: \"ip_policy_deleted.v0\" }],\n  destinationIds: [audit.id],\n});",
    "modules": []
  },
  {
    "kind": "guarantee",
    "one": "Guarantee",
    "title": "Guarantees",
    "path": "/guarantees",
    "listKey": "guarantees",
    "idPrefix": "grnt",
    "access": "adminsWrite",
    "doc": "A condition for requests: all that it covers must be let in, or none of them. The server refuses a change after which an enforced guarantee would no longer hold. Only admins may change it.",
    "secrets": [],
    "example": "const admin = new tunnels.Guarantee(\"admin\", {\n  description: \"nobody reaches an admin page without a client certificate\",\n  expect: \"refused\",\n  addresses: [\"*:443/admin\"],\n  clientCertificate: \"none\",\n});",
    "modules": []
  },
  {
    "kind": "project",
    "one": "Project",
    "title": "Projects",
    "path": "/projects",
    "listKey": "projects",
    "idPrefix": "proj",
    "access": "account",
    "doc": "A part of the account whose objects exist only for its members. Every object belongs for good to the project in which it was made. `default` exists from the start; it cannot be deleted or get another name. A project that holds objects cannot be deleted. Only admins of the account may change it; members see those in which they have a role.",
    "secrets": [],
    "example": "const shop = new tunnels.Project(\"shop\", { name: \"web-shop\", description: \"the shop's team\" });",
    "modules": []
  },
  {
    "kind": "membership",
    "one": "Membership",
    "title": "Memberships",
    "path": "/memberships",
    "listKey": "memberships",
    "idPrefix": "mbr",
    "access": "admin",
    "doc": "Gives a user, a bot or a group of users a role in a project or in the whole account. Memberships add: the strongest role holds. Only admins may change it; only they and viewers see it.",
    "secrets": [],
    "example": "const shop = new tunnels.Project(\"shop\", { name: \"web-shop\" });\nconst ci = new tunnels.BotUser(\"ci\", { name: \"ci\", role: \"viewer\" });\nconst deploys = new tunnels.Membership(\"deploys\", {\n  projectId: shop.id,\n  role: \"member\",\n  botUserId: ci.id,\n});",
    "modules": []
  },
  {
    "kind": "api_key",
    "one": "API key",
    "title": "API keys",
    "path": "/api_keys",
    "listKey": "keys",
    "idPrefix": "ak",
    "access": "owner",
    "doc": "A key with which its owner calls this API. Deleting it revokes it at once, on other servers of the same database within a second. Only its owner, viewers and admins can see it.",
    "secrets": [
      "token"
    ],
    "example": "const ci = new tunnels.BotUser(\"ci\", { name: \"ci\" });\nconst key = new tunnels.ApiKey(\"ci\", { ownerId: ci.id });\nexport const apiKey = key.token; // a secret output",
    "modules": []
  },
  {
    "kind": "bot_user",
    "one": "Bot user",
    "title": "Bot users",
    "path": "/bot_users",
    "listKey": "bot_users",
    "idPrefix": "bot",
    "access": "admin",
    "doc": "An owner of API keys and credentials that is not a person, for example a pipeline or a service. Its role decides what its API keys may do. Only admins may change it; only they and viewers see it.",
    "secrets": [],
    "example": "const ci = new tunnels.BotUser(\"ci\", { name: \"ci\" });\nconst credential = new tunnels.TunnelCredential(\"ci\", { ownerId: ci.id });",
    "modules": []
  },
  {
    "kind": "workload_identity",
    "one": "Workload identity",
    "title": "Workload identities",
    "path": "/workload_identities",
    "listKey": "workload_identities",
    "idPrefix": "wid",
    "access": "admin",
    "doc": "Lets jobs of a pipeline work as a bot without an API key: `POST /token` exchanges an identity token of theirs, which its issuer signed, for an API key that soon ends. Changing or deleting the identity ends the keys that came of it. Only admins may change it; only they and viewers see it.",
    "secrets": [],
    "example": "const ci = new tunnels.BotUser(\"ci\", { name: \"ci\" });\nconst deploys = new tunnels.WorkloadIdentity(\"deploys\", {\n  issuer: \"https://token.actions.githubusercontent.com\",\n  audiences: [\"https://tunnels.example.com\"],\n  claims: { sub: \"repo:acme/infra:ref:refs/heads/main\" },\n  botUserId: ci.id,\n});",
    "modules": []
  }
];
