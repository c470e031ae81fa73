// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type { Ref } from "../client/ref";

/** The fields of `mutual_tls`. */
export interface HttpsEdgeMutualTls {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** The authorities that may have signed a client's certificate; not empty while enabled. */
  certificate_authorities: Ref[];
}

/** The fields of `tls_termination`. */
export interface HttpsEdgeTlsTermination {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** The lowest TLS version that is accepted. Default `1.2`. */
  min_version: "1.2" | "1.3";
}

/** The fields of `leaving`. */
export interface HttpsEdgeLeaving {
  modules: string[];

  after: string[];
}

/** The fields of `backend`. */
export interface HttpsEdgeRoutesBackend {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** The backend that gets the traffic. */
  backend: Ref;
}

/** The fields of `ip_restriction`. */
export interface HttpsEdgeRoutesIpRestriction {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** The IP policies that a source address is checked against; not empty while enabled. */
  ip_policies: Ref[];
}

/** The fields of `oidc`. */
export interface HttpsEdgeRoutesOidc {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** Whether OPTIONS requests pass without sign-in, as CORS requires. */
  options_passthrough: boolean;

  /** Prefix of the session's cookie, at most 64 letters, digits and signs of a cookie's name (RFC 6265). Default: the service's own. */
  cookie_prefix: string;

  /** Users must sign in again after this time without a request. In seconds; 0 for no limit. */
  inactivity_timeout: number;

  /** Users must sign in again after this time in any case. In seconds; 0 for no limit. */
  maximum_duration: number;

  /** URL of the provider; the base of its discovery document. */
  issuer: string;

  /** The app's client id, which is its audience too. */
  client_id: string;

  /** The app's client secret. Secret. */
  client_secret: string;

  /** Scopes to request. */
  scopes: string[];

  /** Claims that a user's ID token must have, each with a list of texts. Every claim must match one of its texts. Default: none. A text matches the whole claim, in its case; `*` stands for any characters but `@`: `*@example.com`. A claim may be a text, a number, true or false, or a list of them where one has to match; `*` alone is any of these. `scope` and `scp` are lists of words with spaces between (RFC 8693). A dot leads into an object (`realm_access.roles`, `kubernetes.io.namespace`), `\.` is a dot of a name, and a name with `:` or `/` is one name (`https://example.com/roles`). A rule for `email` asks for `email_verified: true` too. At most 16 claims with 32 texts each; names and texts have at most 255 characters. */
  require_claims: Record<string, string[]>;
}

/** The fields of `allow_list`. */
export interface HttpsEdgeRoutesJwtValidationIssuerAllowList {
  /** An allowed value. */
  value: string;
}

/** Issuers whose tokens are accepted. */
export interface HttpsEdgeRoutesJwtValidationIssuer {
  /** Issuers whose tokens are accepted. */
  allow_list: HttpsEdgeRoutesJwtValidationIssuerAllowList[];
}

/** The fields of `allow_list`. */
export interface HttpsEdgeRoutesJwtValidationAudienceAllowList {
  /** An allowed value. */
  value: string;
}

/** Audiences; a token must name one of them. */
export interface HttpsEdgeRoutesJwtValidationAudience {
  /** Audiences; a token must name one of them. */
  allow_list: HttpsEdgeRoutesJwtValidationAudienceAllowList[];
}

/** The fields of `tokens`. */
export interface HttpsEdgeRoutesJwtValidationHttpTokens {
  /** The type of token, as a hint for parsing. */
  type: "jwt" | "at+jwt" | "it+jwt";

  /** The part of the request that holds the token. */
  method: "header" | "body";

  /** The name of the header or of the body's field. */
  name: string;

  /** A prefix to remove before the token, for example `Bearer `. */
  prefix: string;
}

/** The place of the token in a request. */
export interface HttpsEdgeRoutesJwtValidationHttp {
  /** The places where a token may be. */
  tokens: HttpsEdgeRoutesJwtValidationHttpTokens[];
}

/** Where keys come from. */
export interface HttpsEdgeRoutesJwtValidationJwsKeysSources {
  /** URLs of JSON Web Key Sets. */
  additional_jkus: string[];
}

/** Keys that signatures are checked with. */
export interface HttpsEdgeRoutesJwtValidationJwsKeys {
  /** Where keys come from. */
  sources: HttpsEdgeRoutesJwtValidationJwsKeysSources;
}

/** How signatures are checked. */
export interface HttpsEdgeRoutesJwtValidationJws {
  /** Algorithms that a signature may use. */
  allowed_algorithms: ("RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512" | "EdDSA")[];

  /** Keys that signatures are checked with. */
  keys: HttpsEdgeRoutesJwtValidationJwsKeys;
}

/** The fields of `jwt_validation`. */
export interface HttpsEdgeRoutesJwtValidation {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** Whether OPTIONS requests pass without a token, as CORS requires. */
  options_passthrough: boolean;

  /** Issuers whose tokens are accepted. */
  issuer: HttpsEdgeRoutesJwtValidationIssuer;

  /** Audiences; a token must name one of them. */
  audience: HttpsEdgeRoutesJwtValidationAudience;

  /** The place of the token in a request. */
  http: HttpsEdgeRoutesJwtValidationHttp;

  /** How signatures are checked. */
  jws: HttpsEdgeRoutesJwtValidationJws;

  /** Claims that a token must have, each with a list of texts. Every claim must match one of its texts. Default: none. A text matches the whole claim, in its case; `*` stands for any characters but `@`: `*@example.com`. A claim may be a text, a number, true or false, or a list of them where one has to match; `*` alone is any of these. `scope` and `scp` are lists of words with spaces between (RFC 8693). A dot leads into an object (`realm_access.roles`, `kubernetes.io.namespace`), `\.` is a dot of a name, and a name with `:` or `/` is one name (`https://example.com/roles`). A rule for `email` asks for `email_verified: true` too. At most 16 claims with 32 texts each; names and texts have at most 255 characters. */
  require_claims: Record<string, string[]>;
}

/** The fields of `user_agent_filter`. */
export interface HttpsEdgeRoutesUserAgentFilter {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** Regular expressions (RE2) for agents that are admitted. Each has at most 512 bytes and a program of at most 1024 instructions; counts of repetitions multiply. At most 100 in `allow` and `deny` together. */
  allow: string[];

  /** Regular expressions (RE2) for agents that are refused. Each has at most 512 bytes and a program of at most 1024 instructions; counts of repetitions multiply. At most 100 in `allow` and `deny` together. */
  deny: string[];
}

/** The fields of `inbound`. */
export interface HttpsEdgeRoutesPoliciesInbound {
  /** A name for people. */
  name: string;

  /** Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve `req.method`, `req.host`, `req.path`, `req.user_agent`, `conn.client_ip`, `conn.ClientIP`, `conn.tls.sni`, `req.headers["x"]`, comparison, `in`, `startsWith`, `endsWith`, `contains`, `matches`, `inCidrRange`, `&&`, `||`, `!`, parentheses, literals and lists; other CEL is stored, and a preview warns about it. */
  expressions: string[];

  /** The actions, in the order in which they run. */
  actions: (
    | { type: "deny"; config: { status_code?: number } }
    | { type: "log"; config: { metadata?: Record<string, unknown> } }
    | { type: "rate-limit"; config: { name: string; algorithm?: "sliding_window"; capacity: number; rate: string; bucket_key?: string[] } }
    | { type: "url-rewrite"; config: { from: string; to: string } }
    | { type: "custom-response"; config: { status_code: number; content?: string; headers?: Record<string, string> } }
  )[];
}

/** The fields of `outbound`. */
export interface HttpsEdgeRoutesPoliciesOutbound {
  /** A name for people. */
  name: string;

  /** Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve `req.method`, `req.host`, `req.path`, `req.user_agent`, `conn.client_ip`, `conn.ClientIP`, `conn.tls.sni`, `req.headers["x"]`, comparison, `in`, `startsWith`, `endsWith`, `contains`, `matches`, `inCidrRange`, `&&`, `||`, `!`, parentheses, literals and lists; other CEL is stored, and a preview warns about it. */
  expressions: string[];

  /** The actions, in the order in which they run. */
  actions: (
    | { type: "deny"; config: { status_code?: number } }
    | { type: "log"; config: { metadata?: Record<string, unknown> } }
    | { type: "rate-limit"; config: { name: string; algorithm?: "sliding_window"; capacity: number; rate: string; bucket_key?: string[] } }
    | { type: "url-rewrite"; config: { from: string; to: string } }
    | { type: "custom-response"; config: { status_code: number; content?: string; headers?: Record<string, string> } }
  )[];
}

/** The fields of `policies`. */
export interface HttpsEdgeRoutesPolicies {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** Policies for inbound traffic. */
  inbound: HttpsEdgeRoutesPoliciesInbound[];

  /** Policies for outbound traffic. */
  outbound: HttpsEdgeRoutesPoliciesOutbound[];
}

/** The fields of `request_headers`. */
export interface HttpsEdgeRoutesRequestHeaders {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** Headers to set, by name. One that is there already is replaced. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade. */
  add: Record<string, string>;

  /** Names of headers to take away, in any case. */
  remove: string[];
}

/** The fields of `response_headers`. */
export interface HttpsEdgeRoutesResponseHeaders {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** Headers to set, by name. One that is there already is replaced. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade. */
  add: Record<string, string>;

  /** Names of headers to take away, in any case. */
  remove: string[];
}

/** The fields of `compression`. */
export interface HttpsEdgeRoutesCompression {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;
}

/** The fields of `circuit_breaker`. */
export interface HttpsEdgeRoutesCircuitBreaker {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** How long no request reaches the backend, in seconds; up to a `rolling_window` longer, because a gateway looks once in each. At most a day. */
  tripped_duration: number;

  /** The time in which requests and errors are counted, in seconds. At most a day. */
  rolling_window: number;

  /** Stored for programs that name it. Gateways count in windows that follow each other, and divide none of them. */
  num_buckets: number;

  /** The fewest requests in a window for which errors count. */
  volume_threshold: number;

  /** The share of errors (answers of 500 and above, and connections that fail) from which the backend is not asked: a percentage, or at most 1 for a share, so that 0.5 is 50. */
  error_threshold_percentage: number;
}

/** The fields of `webhook_verification`. */
export interface HttpsEdgeRoutesWebhookVerification {
  /** Whether the module is applied to traffic. Default true. */
  enabled: boolean;

  /** The service that signs: `github`, `gitlab`, `shopify`, `slack`, `stripe`, `svix`, `twilio`. Signatures of Slack, Stripe and Svix may be five minutes old. */
  provider: "github" | "gitlab" | "shopify" | "slack" | "stripe" | "svix" | "twilio";

  /** The secret that the service signs with; for GitLab, its token; for Svix, `whsec_` and base64. Answers show null. An update that leaves it out keeps the one that is stored. */
  secret: string | null;
}

/** The fields of `leaving`. */
export interface HttpsEdgeRoutesLeaving {
  modules: string[];

  after: string[];
}

/** The fields of `routes`. */
export interface HttpsEdgeRoutes {
  /** Identifier, `edghtsrt_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** The edge that the route belongs to. Set at creation only. */
  edge_id: string;

  /** Whether `match` is the whole path or a plain beginning of it. */
  match_type: "exact_path" | "path_prefix";

  /** The path, beginning with `/`, in the normal form of URLs, at most 1,024 bytes. A prefix is a plain beginning: `/admin` takes `/admin/x` and `/adminx` too. `/Admin` is another path. Each path is unique for its `match_type` on an edge. */
  match: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The backend of the traffic. */
  backend: HttpsEdgeRoutesBackend | null;

  /** Limits the source addresses that may connect. */
  ip_restriction: HttpsEdgeRoutesIpRestriction | null;

  /** Signs users in with an OpenID Connect provider. */
  oidc: HttpsEdgeRoutesOidc | null;

  /** Admits only requests with a valid JSON Web Token. */
  jwt_validation: HttpsEdgeRoutesJwtValidation | null;

  /** Allows or denies requests by their User-Agent header. */
  user_agent_filter: HttpsEdgeRoutesUserAgentFilter | null;

  /** Conditions and actions on inbound and outbound traffic. */
  policies: HttpsEdgeRoutesPolicies | null;

  /** Changes headers of each request. Backends get them; modules that decide about the request see the headers that the caller sent. */
  request_headers: HttpsEdgeRoutesRequestHeaders | null;

  /** Changes headers of each response. */
  response_headers: HttpsEdgeRoutesResponseHeaders | null;

  /** Compresses answers with brotli or gzip, as the caller asks in Accept-Encoding: texts, JSON, JavaScript, XML, SVG and WebAssembly of 256 bytes and more. */
  compression: HttpsEdgeRoutesCompression | null;

  /** Answers 503 for a while where the backend fails too often, instead of asking it. */
  circuit_breaker: HttpsEdgeRoutesCircuitBreaker | null;

  /** Refuses requests that a service did not sign with a secret that you share with it. Bodies have at most 1 MiB; larger ones are answered 413. */
  webhook_verification: HttpsEdgeRoutesWebhookVerification | null;

  /** The object that it was created to replace (`?replaces=`) and that still serves: this one serves nothing until that one is deleted, and then takes over at once. Null otherwise. */
  waits_for: Ref | null;

  /** The parts without which it serves nothing: those that follow its creation (`?closed_without=`), and those that were deleted because it will be deleted next (`?closes=`). Null otherwise. */
  closed_without: string[] | null;

  /** The modules that an update removed for the time `after` it has these other parts (`?remove_after=`): until then they apply. Null otherwise. */
  leaving: HttpsEdgeRoutesLeaving | null;
}

/**
 * Serves hostports over HTTPS and hands each request to the route that matches its path. Deleting an edge deletes its routes, which have at most 4 MiB together.
 *
 * As the API returns it.
 */
export interface HttpsEdge {
  /** Identifier, `edghts_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The hostports that the edge serves, each `<host>:<port>`. No two edges may serve the same one. */
  hostports: string[];

  /** What happens to requests with `%2F` or `%5C` in their path: `reject` answers 400; `keep` passes them on as they are, and is allowed only while nothing on the edge depends on the path: one route for the prefix `/`, and no policy that asks for `req.path` or rewrites it. Default `reject`. */
  escaped_slashes: "reject" | "keep";

  /** Requires client certificates of certain authorities. */
  mutual_tls: HttpsEdgeMutualTls | null;

  /** Sets the lowest TLS version. */
  tls_termination: HttpsEdgeTlsTermination | null;

  /** The object that it was created to replace (`?replaces=`) and that still serves: this one serves nothing until that one is deleted, and then takes over at once. Null otherwise. */
  waits_for: Ref | null;

  /** The parts without which it serves nothing: those that follow its creation (`?closed_without=`), and those that were deleted because it will be deleted next (`?closes=`). Null otherwise. */
  closed_without: string[] | null;

  /** The modules that an update removed for the time `after` it has these other parts (`?remove_after=`): until then they apply. Null otherwise. */
  leaving: HttpsEdgeLeaving | null;

  /** The hostports that an update added, with parts that follow (`?closed_without=`): these serve nothing until the edge has the parts in `closed_without`, and all others go on. Null otherwise. */
  closed_hostports: string[] | null;

  /** Its routes, newest first; at most 4 MiB together. */
  routes: HttpsEdgeRoutes[];
}

/** The fields of `mutual_tls`. */
export interface HttpsEdgeMutualTlsReplace {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: boolean;

  /** The authorities that may have signed a client's certificate; not empty while enabled. */
  certificate_authority_ids: string[];
}

/** The fields of `tls_termination`. */
export interface HttpsEdgeTlsTerminationReplace {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: boolean;

  /** The lowest TLS version that is accepted. Default `1.2`. */
  min_version?: "1.2" | "1.3";
}

/** The body that creates an HTTPS edge. */
export interface HttpsEdgeCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The hostports that the edge serves, each `<host>:<port>`. No two edges may serve the same one. */
  hostports?: string[];

  /** What happens to requests with `%2F` or `%5C` in their path: `reject` answers 400; `keep` passes them on as they are, and is allowed only while nothing on the edge depends on the path: one route for the prefix `/`, and no policy that asks for `req.path` or rewrites it. Default `reject`. */
  escaped_slashes?: "reject" | "keep";

  /** Requires client certificates of certain authorities. */
  mutual_tls?: HttpsEdgeMutualTlsReplace;

  /** Sets the lowest TLS version. */
  tls_termination?: HttpsEdgeTlsTerminationReplace;
}

/** The body that updates an HTTPS edge; fields left out stay as they are. */
export type HttpsEdgeUpdate = Partial<HttpsEdgeCreate>;
