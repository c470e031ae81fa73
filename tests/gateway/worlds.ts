import { isIP } from "node:net";
import type { HttpsEdge, HttpsEdgeRoutes, TcpEdge, TlsEdge } from "@tunnelplane/sdk";
import type { Environment, ServerCertificate } from "../../gateway/dist";

/** Placeholders that keep golden files short; tests replace them with real values. */
export const CERTIFICATE: ServerCertificate = {
  names: ["app.example.com", "api.example.com", "*.example.com", "db.example.com", "raw.example.com"],
  chain: "$CERTIFICATE\n",
  key: "$KEY\n",
  notBefore: 0,
  notAfter: 4_000_000_000_000,
};
export const AUTHORITY_PEM = "$AUTHORITY\n";

const NAMES: Readonly<Record<string, readonly string[]>> = {
  localhost: ["127.0.0.1", "::1"],
  "legacy.internal": ["10.0.0.9", "2001:db8::9"],
  "id.example.com": ["192.0.2.4", "192.0.2.5"],
};

export const SURROUNDINGS: Environment = {
  certificates: [CERTIFICATE],
  listen: [{ port: 443, address: "127.0.0.1", bindPort: 8443 }],
  sockets: "/run/tunnelplane/sockets",
  trust: "/etc/ssl/certs/ca-certificates.crt",
  issuers: new Map([
    [
      "https://id.example.com",
      {
        authorizationEndpoint: "https://id.example.com/authorize",
        tokenEndpoint: "https://id.example.com/token",
        jwksUri: "https://id.example.com/jwks",
      },
    ],
  ]),
  upstreams: { find: (host) => ({ addresses: isIP(host) === 0 ? (NAMES[host] ?? []) : [host] }) },
  sessionKey: "a key of tests",
  now: 1_800_000_000_000,
};

export const enabled = <T extends object>(fields: T) => ({ enabled: true, ...fields });
export const refs = (...ids: string[]) => ids.map((id) => ({ id, uri: `/${id}` }));
export const to = (id: string) => enabled({ backend: { id, uri: `/backends/${id}` } });
type Part<T> = { readonly [K in keyof T]?: unknown };

export const tlsEdge = (fields: Part<TlsEdge>) => ({
  kind: "tls_edge",
  fields: {
    ...{ id: "edgtls_1", hostports: ["db.example.com:443"], backend: null, ip_restriction: null },
    ...{ mutual_tls: null, tls_termination: null, policies: null, ...fields },
  },
});

export const tcpEdge = (fields: Part<TcpEdge>) => ({
  kind: "tcp_edge",
  fields: {
    ...{ id: "edgtcp_1", hostports: ["db.example.com:20001"], backend: null, ip_restriction: null },
    ...{ policies: null, ...fields },
  },
});

export const route = (fields: Part<HttpsEdgeRoutes>) => ({
  ...{ id: "edghtsrt_1", match_type: "path_prefix", match: "/", backend: null, ip_restriction: null },
  ...{ oidc: null, jwt_validation: null, user_agent_filter: null, policies: null, ...fields },
});

export const httpsEdge = (fields: Part<HttpsEdge>) => ({
  kind: "https_edge",
  fields: {
    ...{ id: "edghts_1", hostports: ["app.example.com:443"], mutual_tls: null, tls_termination: null },
    ...{ routes: [], ...fields },
  },
});

export const backend = (kind: string, id: string, fields: object) => ({
  kind: `${kind}_backend`,
  fields: { id, ...fields },
});
export const fixed = (id: string, address: string, tls = false) =>
  backend("static", id, { address, tls: { enabled: tls } });
export const rule = (policy: string, action: "allow" | "deny", cidr: string) => ({
  kind: "ip_policy_rule",
  fields: { id: `ipr_${action}_${cidr}`, cidr, action, ip_policy: { id: policy, uri: "" } },
});
export const authority = (id: string, ca_pem = AUTHORITY_PEM) => ({
  kind: "certificate_authority",
  fields: { id, ca_pem },
});

export const policy = (expressions: string[], ...actions: [string, object?][]) => ({
  name: "",
  expressions,
  actions: actions.map(([type, config = {}]) => ({ type, config })),
});
export const inbound = (...policies: object[]) => enabled({ inbound: policies, outbound: [] });

export const jwt = (fields: object = {}, jku = "https://id.example.com/jwks") =>
  enabled({
    issuer: { allow_list: [{ value: "https://id.example.com" }] },
    audience: { allow_list: [{ value: "api" }] },
    http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
    jws: { allowed_algorithms: ["RS256"], keys: { sources: { additional_jkus: [jku] } } },
    ...fields,
  });

export const oidc = (fields: object = {}) =>
  enabled({
    options_passthrough: false,
    cookie_prefix: "",
    inactivity_timeout: 0,
    maximum_duration: 0,
    issuer: "https://id.example.com",
    client_id: "app",
    client_secret: "of the app",
    scopes: ["email"],
    ...fields,
  });

const web = fixed("bkdsc_web", "10.0.0.7:8080");
const group = backend("tunnel_group", "bkdtg_web", {
  ...{ labels: { service: "web", env: "prod" }, protocol: "http1", idle_timeout: 3600 },
});
const sorry = backend("http_response", "bkdhr_sorry", {
  status_code: 503,
  body: "back soon: 100%",
  headers: { "retry-after": "600" },
});

/** The first two have golden files; the last one has all that a gateway can be asked for. */
export const WORLDS = {
  "tls-edge": [tlsEdge({ backend: to("bkdsc_web") }), web],
  "https-edge": [
    httpsEdge({
      routes: [
        route({ id: "edghtsrt_root", backend: to("bkdtg_web") }),
        route({
          ...{ id: "edghtsrt_health", match_type: "exact_path", match: "/health" },
          backend: to("bkdhr_sorry"),
        }),
        route({
          ...{ id: "edghtsrt_admin", match: "/admin", backend: to("bkdsc_web") },
          ip_restriction: enabled({ ip_policies: refs("ipp_office") }),
        }),
        route({ id: "edghtsrt_off", match: "/off", backend: { ...to("bkdsc_web"), enabled: false } }),
        route({ id: "edghtsrt_bound", match: "/bound" }),
      ],
    }),
    web,
    group,
    sorry,
    rule("ipp_office", "allow", "10.0.0.0/8"),
  ],
  everything: [
    tlsEdge({
      backend: to("bkdfo_tls"),
      ip_restriction: enabled({ ip_policies: refs("ipp_office") }),
      mutual_tls: enabled({ certificate_authorities: refs("ca_clients", "ca_more") }),
      tls_termination: enabled({ terminate_at: "edge", min_version: "1.3" }),
      policies: inbound(
        policy(
          ['conn.client_ip.inCidrRange("203.0.113.0/24") && conn.tls.sni == "db.example.com"'],
          ["deny"],
        ),
        policy([], ["rate-limit", { name: "slow", capacity: 100, rate: "1m" }], ["log", { metadata: {} }]),
      ),
    }),
    tlsEdge({
      id: "edgtls_2",
      hostports: ["raw.example.com:443"],
      tls_termination: enabled({ terminate_at: "upstream", min_version: null }),
      backend: to("bkdtg_web"),
    }),
    httpsEdge({
      routes: [
        route({ backend: to("bkdwd_both") }),
        route({ id: "edghtsrt_2", match: "/safe", backend: to("bkdfo_safe") }),
        route({ id: "edghtsrt_3", match: "/nested", backend: to("bkdwd_nested") }),
        route({
          id: "edghtsrt_4",
          match: "/hook",
          backend: to("bkdsc_web"),
          compression: enabled({}),
          request_headers: enabled({ add: { "x-team": "100 %" }, remove: ["x-debug"] }),
          response_headers: enabled({ add: { "x-frame-options": "DENY" }, remove: ["x-powered-by"] }),
          circuit_breaker: enabled({
            ...{ tripped_duration: 60, rolling_window: 10, num_buckets: 10 },
            ...{ volume_threshold: 20, error_threshold_percentage: 0.5 },
          }),
          webhook_verification: enabled({ provider: "svix", secret: "whsec_b2Y=" }),
        }),
        route({
          id: "edghtsrt_5",
          match: "/api",
          backend: to("bkdsc_web"),
          jwt_validation: jwt(),
          user_agent_filter: enabled({ allow: ["(?i)curl", "^Mozilla/"], deny: ["bot"] }),
        }),
        route({
          ...{ id: "edghtsrt_6", match: "/in", backend: to("bkdsc_web") },
          oidc: oidc({ options_passthrough: true, maximum_duration: 3600 }),
        }),
      ],
    }),
    httpsEdge({
      id: "edghts_2",
      hostports: ["api.example.com:443", "*.example.com:443"],
      routes: [
        route({
          id: "edghtsrt_7",
          backend: to("bkdsc_web"),
          policies: inbound(
            policy(['!(conn.client_ip in ["10.0.0.1", "::1"])'], ["deny", { status_code: 404 }]),
            policy(
              ['req.method == "POST" || req.path.matches("^/v[0-9]+/")'],
              ["custom-response", { status_code: 418, content: "no", headers: { "x-why": "teapot" } }],
            ),
            policy(
              [],
              ["rate-limit", { name: "each", capacity: 10, rate: "60s", bucket_key: ["conn.client_ip"] }],
            ),
            policy([], ["log", {}], ["url-rewrite", { from: "^/old/(.*)$", to: "/new/$1" }]),
          ),
        }),
      ],
    }),
    httpsEdge({
      id: "edghts_gone",
      hostports: ["gone.example.com:443"],
      routes: [route({ id: "edghtsrt_8", backend: to("bkdhr_gone") })],
    }),
    backend("weighted", "bkdwd_both", { backends: { bkdsc_web: 95, bkdtg_web: 5, bkdhr_sorry: 0 } }),
    backend("weighted", "bkdwd_nested", { backends: { bkdwd_both: 1, bkdhr_sorry: 3 } }),
    backend("failover", "bkdfo_safe", { backends: ["bkdtg_web", "bkdsc_tls", "bkdhr_sorry"] }),
    backend("failover", "bkdfo_tls", { backends: ["bkdtg_web", "bkdsc_tls"] }),
    fixed("bkdsc_tls", "legacy.internal:8443", true),
    ...[web, group, sorry],
    ...(["10.0.0.0/8", "2001:db8::/32"] as const).map((cidr) => rule("ipp_office", "allow", cidr)),
    rule("ipp_office", "deny", "10.9.0.0/16"),
    ...[authority("ca_clients"), authority("ca_more")],
  ],
} as const;
