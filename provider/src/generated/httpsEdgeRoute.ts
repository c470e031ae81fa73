// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The fields of `backend`. */
export interface HttpsEdgeRouteBackendModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** The backend that gets the traffic. */
  backendId: pulumi.Input<string>;
}

/** The fields of `ipRestriction`. */
export interface HttpsEdgeRouteIpRestrictionModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** The IP policies that a source address is checked against; not empty while enabled. */
  ipPolicyIds: pulumi.Input<pulumi.Input<string>[]>;
}

/** The fields of `oidc`. */
export interface HttpsEdgeRouteOidcModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** Whether OPTIONS requests pass without sign-in, as CORS requires. Default `false`. */
  optionsPassthrough?: pulumi.Input<boolean>;

  /** Prefix of the session's cookie, at most 64 letters, digits and signs of a cookie's name (RFC 6265). Default: the service's own. */
  cookiePrefix?: pulumi.Input<string>;

  /** Users must sign in again after this time without a request. In seconds; 0 for no limit. Default `0`. */
  inactivityTimeout?: pulumi.Input<number>;

  /** Users must sign in again after this time in any case. In seconds; 0 for no limit. Default `0`. */
  maximumDuration?: pulumi.Input<number>;

  /** URL of the provider; the base of its discovery document. */
  issuer: pulumi.Input<string>;

  /** The app's client id, which is its audience too. */
  clientId: pulumi.Input<string>;

  /** The app's client secret. Secret. */
  clientSecret: pulumi.Input<string>;

  /** Scopes to request. */
  scopes?: pulumi.Input<pulumi.Input<string>[]>;

  /** Claims that a user's ID token must have, each with a list of texts. Every claim must match one of its texts. Default: none. A text matches the whole claim, in its case; `*` stands for any characters but `@`: `*@example.com`. A claim may be a text, a number, true or false, or a list of them where one has to match; `*` alone is any of these. `scope` and `scp` are lists of words with spaces between (RFC 8693). A dot leads into an object (`realm_access.roles`, `kubernetes.io.namespace`), `\.` is a dot of a name, and a name with `:` or `/` is one name (`https://example.com/roles`). A rule for `email` asks for `email_verified: true` too. At most 16 claims with 32 texts each; names and texts have at most 255 characters. */
  requireClaims?: pulumi.Input<Record<string, pulumi.Input<pulumi.Input<string>[]>>>;
}

/** The fields of `allowList`. */
export interface HttpsEdgeRouteJwtValidationModuleIssuerAllowList {
  /** An allowed value. */
  value: pulumi.Input<string>;
}

/** Issuers whose tokens are accepted. */
export interface HttpsEdgeRouteJwtValidationModuleIssuer {
  /** Issuers whose tokens are accepted. */
  allowList: pulumi.Input<pulumi.Input<HttpsEdgeRouteJwtValidationModuleIssuerAllowList>[]>;
}

/** The fields of `allowList`. */
export interface HttpsEdgeRouteJwtValidationModuleAudienceAllowList {
  /** An allowed value. */
  value: pulumi.Input<string>;
}

/** Audiences; a token must name one of them. */
export interface HttpsEdgeRouteJwtValidationModuleAudience {
  /** Audiences; a token must name one of them. */
  allowList: pulumi.Input<pulumi.Input<HttpsEdgeRouteJwtValidationModuleAudienceAllowList>[]>;
}

/** The fields of `tokens`. */
export interface HttpsEdgeRouteJwtValidationModuleHttpTokens {
  /** The type of token, as a hint for parsing. */
  type: pulumi.Input<"jwt" | "at+jwt" | "it+jwt">;

  /** The part of the request that holds the token. */
  method: pulumi.Input<"header" | "body">;

  /** The name of the header or of the body's field. */
  name: pulumi.Input<string>;

  /** A prefix to remove before the token, for example `Bearer `. */
  prefix?: pulumi.Input<string>;
}

/** The place of the token in a request. */
export interface HttpsEdgeRouteJwtValidationModuleHttp {
  /** The places where a token may be. */
  tokens: pulumi.Input<pulumi.Input<HttpsEdgeRouteJwtValidationModuleHttpTokens>[]>;
}

/** Where keys come from. */
export interface HttpsEdgeRouteJwtValidationModuleJwsKeysSources {
  /** URLs of JSON Web Key Sets. */
  additionalJkus: pulumi.Input<pulumi.Input<string>[]>;
}

/** Keys that signatures are checked with. */
export interface HttpsEdgeRouteJwtValidationModuleJwsKeys {
  /** Where keys come from. */
  sources: pulumi.Input<HttpsEdgeRouteJwtValidationModuleJwsKeysSources>;
}

/** How signatures are checked. */
export interface HttpsEdgeRouteJwtValidationModuleJws {
  /** Algorithms that a signature may use. */
  allowedAlgorithms: pulumi.Input<(pulumi.Input<"RS256" | "RS384" | "RS512" | "PS256" | "PS384" | "PS512" | "ES256" | "ES384" | "ES512" | "EdDSA">)[]>;

  /** Keys that signatures are checked with. */
  keys: pulumi.Input<HttpsEdgeRouteJwtValidationModuleJwsKeys>;
}

/** The fields of `jwtValidation`. */
export interface HttpsEdgeRouteJwtValidationModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** Whether OPTIONS requests pass without a token, as CORS requires. Default `false`. */
  optionsPassthrough?: pulumi.Input<boolean>;

  /** Issuers whose tokens are accepted. */
  issuer: pulumi.Input<HttpsEdgeRouteJwtValidationModuleIssuer>;

  /** Audiences; a token must name one of them. */
  audience: pulumi.Input<HttpsEdgeRouteJwtValidationModuleAudience>;

  /** The place of the token in a request. */
  http: pulumi.Input<HttpsEdgeRouteJwtValidationModuleHttp>;

  /** How signatures are checked. */
  jws: pulumi.Input<HttpsEdgeRouteJwtValidationModuleJws>;

  /** Claims that a token must have, each with a list of texts. Every claim must match one of its texts. Default: none. A text matches the whole claim, in its case; `*` stands for any characters but `@`: `*@example.com`. A claim may be a text, a number, true or false, or a list of them where one has to match; `*` alone is any of these. `scope` and `scp` are lists of words with spaces between (RFC 8693). A dot leads into an object (`realm_access.roles`, `kubernetes.io.namespace`), `\.` is a dot of a name, and a name with `:` or `/` is one name (`https://example.com/roles`). A rule for `email` asks for `email_verified: true` too. At most 16 claims with 32 texts each; names and texts have at most 255 characters. */
  requireClaims?: pulumi.Input<Record<string, pulumi.Input<pulumi.Input<string>[]>>>;
}

/** The fields of `userAgentFilter`. */
export interface HttpsEdgeRouteUserAgentFilterModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** Regular expressions (RE2) for agents that are admitted. Each has at most 512 bytes and a program of at most 1024 instructions; counts of repetitions multiply. At most 100 in `allow` and `deny` together. */
  allow?: pulumi.Input<pulumi.Input<string>[]>;

  /** Regular expressions (RE2) for agents that are refused. Each has at most 512 bytes and a program of at most 1024 instructions; counts of repetitions multiply. At most 100 in `allow` and `deny` together. */
  deny?: pulumi.Input<pulumi.Input<string>[]>;
}

/** The fields of `actions`. */
export interface HttpsEdgeRoutePoliciesModuleInboundActions {
  /** The type of the action. */
  type: pulumi.Input<"deny" | "log" | "rate-limit" | "url-rewrite" | "custom-response">;

  /** Settings of the action, by its type. `deny`: `statusCode` (optional): The status of the answer, 400 to 599. `log`: `metadata` (optional): Any JSON object of at most 4096 bytes, written with each line. `rate-limit`: `name` (required): A name for the limit. `algorithm` (optional): How requests are counted: "sliding_window". `capacity` (required): How many requests pass, 1 to 1,000,000. `rate` (required): The time that they are counted in, such as "60s", "5m" or "1h", at most 24 hours. `bucketKey` (optional): Up to 100 values by which requests are counted separately. `url-rewrite`: `from` (required): An RE2 expression for the part to replace, up to 2048 bytes. `to` (required): The replacement, up to 2048 characters; `$1` is the first group. `custom-response`: `statusCode` (required): The status of the response, 200 to 599. `content` (optional): The body of the response, up to 64 KiB. `headers` (optional): Up to 100 headers of the response, texts by name. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade. Programs and catalogues spell the names in camelCase, or as the API does. */
  config?: pulumi.Input<Record<string, pulumi.Input<unknown>>>;
}

/** The fields of `inbound`. */
export interface HttpsEdgeRoutePoliciesModuleInbound {
  /** A name for people. */
  name?: pulumi.Input<string>;

  /** Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve `req.method`, `req.host`, `req.path`, `req.user_agent`, `conn.client_ip`, `conn.ClientIP`, `conn.tls.sni`, `req.headers["x"]`, comparison, `in`, `startsWith`, `endsWith`, `contains`, `matches`, `inCidrRange`, `&&`, `||`, `!`, parentheses, literals and lists; other CEL is stored, and a preview warns about it. */
  expressions?: pulumi.Input<pulumi.Input<string>[]>;

  /** The actions, in the order in which they run. */
  actions: pulumi.Input<pulumi.Input<HttpsEdgeRoutePoliciesModuleInboundActions>[]>;
}

/** The fields of `actions`. */
export interface HttpsEdgeRoutePoliciesModuleOutboundActions {
  /** The type of the action. */
  type: pulumi.Input<"deny" | "log" | "rate-limit" | "url-rewrite" | "custom-response">;

  /** Settings of the action, by its type. `deny`: `statusCode` (optional): The status of the answer, 400 to 599. `log`: `metadata` (optional): Any JSON object of at most 4096 bytes, written with each line. `rate-limit`: `name` (required): A name for the limit. `algorithm` (optional): How requests are counted: "sliding_window". `capacity` (required): How many requests pass, 1 to 1,000,000. `rate` (required): The time that they are counted in, such as "60s", "5m" or "1h", at most 24 hours. `bucketKey` (optional): Up to 100 values by which requests are counted separately. `url-rewrite`: `from` (required): An RE2 expression for the part to replace, up to 2048 bytes. `to` (required): The replacement, up to 2048 characters; `$1` is the first group. `custom-response`: `statusCode` (required): The status of the response, 200 to 599. `content` (optional): The body of the response, up to 64 KiB. `headers` (optional): Up to 100 headers of the response, texts by name. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade. Programs and catalogues spell the names in camelCase, or as the API does. */
  config?: pulumi.Input<Record<string, pulumi.Input<unknown>>>;
}

/** The fields of `outbound`. */
export interface HttpsEdgeRoutePoliciesModuleOutbound {
  /** A name for people. */
  name?: pulumi.Input<string>;

  /** Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve `req.method`, `req.host`, `req.path`, `req.user_agent`, `conn.client_ip`, `conn.ClientIP`, `conn.tls.sni`, `req.headers["x"]`, comparison, `in`, `startsWith`, `endsWith`, `contains`, `matches`, `inCidrRange`, `&&`, `||`, `!`, parentheses, literals and lists; other CEL is stored, and a preview warns about it. */
  expressions?: pulumi.Input<pulumi.Input<string>[]>;

  /** The actions, in the order in which they run. */
  actions: pulumi.Input<pulumi.Input<HttpsEdgeRoutePoliciesModuleOutboundActions>[]>;
}

/** The fields of `policies`. */
export interface HttpsEdgeRoutePoliciesModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** Policies for inbound traffic. */
  inbound?: pulumi.Input<pulumi.Input<HttpsEdgeRoutePoliciesModuleInbound>[]>;

  /** Policies for outbound traffic. */
  outbound?: pulumi.Input<pulumi.Input<HttpsEdgeRoutePoliciesModuleOutbound>[]>;
}

/** The fields of `requestHeaders`. */
export interface HttpsEdgeRouteRequestHeadersModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** Headers to set, by name. One that is there already is replaced. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade. */
  add?: pulumi.Input<Record<string, pulumi.Input<string>>>;

  /** Names of headers to take away, in any case. */
  remove?: pulumi.Input<pulumi.Input<string>[]>;
}

/** The fields of `responseHeaders`. */
export interface HttpsEdgeRouteResponseHeadersModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** Headers to set, by name. One that is there already is replaced. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade. */
  add?: pulumi.Input<Record<string, pulumi.Input<string>>>;

  /** Names of headers to take away, in any case. */
  remove?: pulumi.Input<pulumi.Input<string>[]>;
}

/** The fields of `compression`. */
export interface HttpsEdgeRouteCompressionModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;
}

/** The fields of `circuitBreaker`. */
export interface HttpsEdgeRouteCircuitBreakerModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** How long no request reaches the backend, in seconds; up to a `rolling_window` longer, because a gateway looks once in each. At most a day. Default `10`. */
  trippedDuration?: pulumi.Input<number>;

  /** The time in which requests and errors are counted, in seconds. At most a day. Default `10`. */
  rollingWindow?: pulumi.Input<number>;

  /** Stored for programs that name it. Gateways count in windows that follow each other, and divide none of them. Default `10`. */
  numBuckets?: pulumi.Input<number>;

  /** The fewest requests in a window for which errors count. Default `10`. */
  volumeThreshold?: pulumi.Input<number>;

  /** The share of errors (answers of 500 and above, and connections that fail) from which the backend is not asked: a percentage, or at most 1 for a share, so that 0.5 is 50. Default `50`. */
  errorThresholdPercentage?: pulumi.Input<number>;
}

/** The fields of `webhookVerification`. */
export interface HttpsEdgeRouteWebhookVerificationModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** The service that signs: `github`, `gitlab`, `shopify`, `slack`, `stripe`, `svix`, `twilio`. Signatures of Slack, Stripe and Svix may be five minutes old. */
  provider: pulumi.Input<"github" | "gitlab" | "shopify" | "slack" | "stripe" | "svix" | "twilio">;

  /** The secret that the service signs with; for GitLab, its token; for Svix, `whsec_` and base64. Answers show null. An update that leaves it out keeps the one that is stored. Secret. */
  secret?: pulumi.Input<string>;
}

/** The arguments of an HTTPS edge route. */
export interface HttpsEdgeRouteArgs {
  /** The edge that the route belongs to. Set at creation only. */
  edgeId: pulumi.Input<string>;

  /** Whether `match` is the whole path or a plain beginning of it. */
  matchType: pulumi.Input<"exact_path" | "path_prefix">;

  /** The path, beginning with `/`, in the normal form of URLs, at most 1,024 bytes. A prefix is a plain beginning: `/admin` takes `/admin/x` and `/adminx` too. `/Admin` is another path. Each path is unique for its `match_type` on an edge. */
  match: pulumi.Input<string>;

  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The backend of the traffic. */
  backend?: pulumi.Input<HttpsEdgeRouteBackendModule>;

  /** Limits the source addresses that may connect. */
  ipRestriction?: pulumi.Input<HttpsEdgeRouteIpRestrictionModule>;

  /** Signs users in with an OpenID Connect provider. */
  oidc?: pulumi.Input<HttpsEdgeRouteOidcModule>;

  /** Admits only requests with a valid JSON Web Token. */
  jwtValidation?: pulumi.Input<HttpsEdgeRouteJwtValidationModule>;

  /** Allows or denies requests by their User-Agent header. */
  userAgentFilter?: pulumi.Input<HttpsEdgeRouteUserAgentFilterModule>;

  /** Conditions and actions on inbound and outbound traffic. */
  policies?: pulumi.Input<HttpsEdgeRoutePoliciesModule>;

  /** Changes headers of each request. Backends get them; modules that decide about the request see the headers that the caller sent. */
  requestHeaders?: pulumi.Input<HttpsEdgeRouteRequestHeadersModule>;

  /** Changes headers of each response. */
  responseHeaders?: pulumi.Input<HttpsEdgeRouteResponseHeadersModule>;

  /** Compresses answers with brotli or gzip, as the caller asks in Accept-Encoding: texts, JSON, JavaScript, XML, SVG and WebAssembly of 256 bytes and more. */
  compression?: pulumi.Input<HttpsEdgeRouteCompressionModule>;

  /** Answers 503 for a while where the backend fails too often, instead of asking it. */
  circuitBreaker?: pulumi.Input<HttpsEdgeRouteCircuitBreakerModule>;

  /** Refuses requests that a service did not sign with a secret that you share with it. Bodies have at most 1 MiB; larger ones are answered 413. */
  webhookVerification?: pulumi.Input<HttpsEdgeRouteWebhookVerificationModule>;
}

/**
 * Handles the requests whose path matches: its modules decide who may send them, and its backend gets them.
 *
 * @example
 * ```ts
 * const api = new tunnels.HttpsEdgeRoute("api", {
 *   edgeId: site.id,
 *   matchType: "path_prefix",
 *   match: "/api",
 *   backend: { backendId: web.id },
 *   jwtValidation: {
 *     issuer: { allowList: [{ value: "https://id.example.com" }] },
 *     audience: { allowList: [{ value: "api" }] },
 *     http: { tokens: [{ type: "jwt", method: "header", name: "Authorization", prefix: "Bearer " }] },
 *     jws: { allowedAlgorithms: ["RS256"], keys: { sources: { additionalJkus: ["https://id.example.com/jwks"] } } },
 *   },
 * });
 * ```
 */
export class HttpsEdgeRoute extends Resource {
  /** The edge that the route belongs to. Set at creation only. */
  declare readonly edgeId: pulumi.Output<string>;

  /** Whether `match` is the whole path or a plain beginning of it. */
  declare readonly matchType: pulumi.Output<"exact_path" | "path_prefix">;

  /** The path, beginning with `/`, in the normal form of URLs, at most 1,024 bytes. A prefix is a plain beginning: `/admin` takes `/admin/x` and `/adminx` too. `/Admin` is another path. Each path is unique for its `match_type` on an edge. */
  declare readonly match: pulumi.Output<string>;

  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The backend of the traffic. */
  declare readonly backend: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteArgs["backend"]>> | undefined>;

  /** Limits the source addresses that may connect. */
  declare readonly ipRestriction: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteArgs["ipRestriction"]>> | undefined>;

  /** Signs users in with an OpenID Connect provider. */
  declare readonly oidc: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteArgs["oidc"]>> | undefined>;

  /** Admits only requests with a valid JSON Web Token. */
  declare readonly jwtValidation: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteArgs["jwtValidation"]>> | undefined>;

  /** Allows or denies requests by their User-Agent header. */
  declare readonly userAgentFilter: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteArgs["userAgentFilter"]>> | undefined>;

  /** Conditions and actions on inbound and outbound traffic. */
  declare readonly policies: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteArgs["policies"]>> | undefined>;

  /** Changes headers of each request. Backends get them; modules that decide about the request see the headers that the caller sent. */
  declare readonly requestHeaders: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteArgs["requestHeaders"]>> | undefined>;

  /** Changes headers of each response. */
  declare readonly responseHeaders: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteArgs["responseHeaders"]>> | undefined>;

  /** Compresses answers with brotli or gzip, as the caller asks in Accept-Encoding: texts, JSON, JavaScript, XML, SVG and WebAssembly of 256 bytes and more. */
  declare readonly compression: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteArgs["compression"]>> | undefined>;

  /** Answers 503 for a while where the backend fails too often, instead of asking it. */
  declare readonly circuitBreaker: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteArgs["circuitBreaker"]>> | undefined>;

  /** Refuses requests that a service did not sign with a secret that you share with it. Bodies have at most 1 MiB; larger ones are answered 413. */
  declare readonly webhookVerification: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteArgs["webhookVerification"]>> | undefined>;

  /** Identifier, `edghtsrt_` and 27 characters that sort by time. */
  declare readonly routeId: pulumi.Output<string>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link HttpsEdgeRouteArgs} */
  constructor(name: string, args: HttpsEdgeRouteArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge_route", type: "HttpsEdgeRoute", properties: ["edgeId", "matchType", "match", "description", "metadata", "backend", "ipRestriction", "oidc", "jwtValidation", "userAgentFilter", "policies", "requestHeaders", "responseHeaders", "compression", "circuitBreaker", "webhookVerification", "routeId", "uri", "createdAt"], secrets: ["oidc.clientSecret", "webhookVerification.secret"], unique: true }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeRoute {
    return new HttpsEdgeRoute(name, {} as HttpsEdgeRouteArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeRoute, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeRoute {
    return isOfType(resource, "HttpsEdgeRoute");
  }
}

/** The arguments of an HTTPS edge route's backend module. */
export interface HttpsEdgeRouteBackendArgs extends HttpsEdgeRouteBackendModule {
  /** The edge that the route belongs to. Set at creation only. */
  edgeId: pulumi.Input<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  routeId: pulumi.Input<string>;
}

/** The backend module of an HTTPS edge route, as a resource of its own: for programs that do not declare the HTTPS edge route itself. The backend of the traffic. */
export class HttpsEdgeRouteBackend extends Resource {
  /** The edge that the route belongs to. Set at creation only. */
  declare readonly edgeId: pulumi.Output<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  declare readonly routeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** The backend that gets the traffic. */
  declare readonly backendId: pulumi.Output<string>;

  /** @param args the declared properties; see {@link HttpsEdgeRouteBackendArgs} */
  constructor(name: string, args: HttpsEdgeRouteBackendArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge_route.backend", type: "HttpsEdgeRouteBackend", properties: ["edgeId", "routeId", "enabled", "backendId"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeRouteBackend {
    return new HttpsEdgeRouteBackend(name, {} as HttpsEdgeRouteBackendArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeRouteBackend, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeRouteBackend {
    return isOfType(resource, "HttpsEdgeRouteBackend");
  }
}

/** The arguments of an HTTPS edge route's ip_restriction module. */
export interface HttpsEdgeRouteIpRestrictionArgs extends HttpsEdgeRouteIpRestrictionModule {
  /** The edge that the route belongs to. Set at creation only. */
  edgeId: pulumi.Input<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  routeId: pulumi.Input<string>;
}

/** The ip_restriction module of an HTTPS edge route, as a resource of its own: for programs that do not declare the HTTPS edge route itself. Limits the source addresses that may connect. */
export class HttpsEdgeRouteIpRestriction extends Resource {
  /** The edge that the route belongs to. Set at creation only. */
  declare readonly edgeId: pulumi.Output<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  declare readonly routeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** The IP policies that a source address is checked against; not empty while enabled. */
  declare readonly ipPolicyIds: pulumi.Output<string[]>;

  /** @param args the declared properties; see {@link HttpsEdgeRouteIpRestrictionArgs} */
  constructor(name: string, args: HttpsEdgeRouteIpRestrictionArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge_route.ip_restriction", type: "HttpsEdgeRouteIpRestriction", properties: ["edgeId", "routeId", "enabled", "ipPolicyIds"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeRouteIpRestriction {
    return new HttpsEdgeRouteIpRestriction(name, {} as HttpsEdgeRouteIpRestrictionArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeRouteIpRestriction, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeRouteIpRestriction {
    return isOfType(resource, "HttpsEdgeRouteIpRestriction");
  }
}

/** The arguments of an HTTPS edge route's oidc module. */
export interface HttpsEdgeRouteOidcArgs extends HttpsEdgeRouteOidcModule {
  /** The edge that the route belongs to. Set at creation only. */
  edgeId: pulumi.Input<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  routeId: pulumi.Input<string>;
}

/** The oidc module of an HTTPS edge route, as a resource of its own: for programs that do not declare the HTTPS edge route itself. Signs users in with an OpenID Connect provider. */
export class HttpsEdgeRouteOidc extends Resource {
  /** The edge that the route belongs to. Set at creation only. */
  declare readonly edgeId: pulumi.Output<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  declare readonly routeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** Whether OPTIONS requests pass without sign-in, as CORS requires. Default `false`. */
  declare readonly optionsPassthrough: pulumi.Output<boolean>;

  /** Prefix of the session's cookie, at most 64 letters, digits and signs of a cookie's name (RFC 6265). Default: the service's own. */
  declare readonly cookiePrefix: pulumi.Output<string>;

  /** Users must sign in again after this time without a request. In seconds; 0 for no limit. Default `0`. */
  declare readonly inactivityTimeout: pulumi.Output<number>;

  /** Users must sign in again after this time in any case. In seconds; 0 for no limit. Default `0`. */
  declare readonly maximumDuration: pulumi.Output<number>;

  /** URL of the provider; the base of its discovery document. */
  declare readonly issuer: pulumi.Output<string>;

  /** The app's client id, which is its audience too. */
  declare readonly clientId: pulumi.Output<string>;

  /** The app's client secret. Secret. */
  declare readonly clientSecret: pulumi.Output<string>;

  /** Scopes to request. */
  declare readonly scopes: pulumi.Output<string[]>;

  /** Claims that a user's ID token must have, each with a list of texts. Every claim must match one of its texts. Default: none. A text matches the whole claim, in its case; `*` stands for any characters but `@`: `*@example.com`. A claim may be a text, a number, true or false, or a list of them where one has to match; `*` alone is any of these. `scope` and `scp` are lists of words with spaces between (RFC 8693). A dot leads into an object (`realm_access.roles`, `kubernetes.io.namespace`), `\.` is a dot of a name, and a name with `:` or `/` is one name (`https://example.com/roles`). A rule for `email` asks for `email_verified: true` too. At most 16 claims with 32 texts each; names and texts have at most 255 characters. */
  declare readonly requireClaims: pulumi.Output<Record<string, string[]>>;

  /** @param args the declared properties; see {@link HttpsEdgeRouteOidcArgs} */
  constructor(name: string, args: HttpsEdgeRouteOidcArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge_route.oidc", type: "HttpsEdgeRouteOidc", properties: ["edgeId", "routeId", "enabled", "optionsPassthrough", "cookiePrefix", "inactivityTimeout", "maximumDuration", "issuer", "clientId", "clientSecret", "scopes", "requireClaims"], secrets: ["clientSecret"] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeRouteOidc {
    return new HttpsEdgeRouteOidc(name, {} as HttpsEdgeRouteOidcArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeRouteOidc, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeRouteOidc {
    return isOfType(resource, "HttpsEdgeRouteOidc");
  }
}

/** The arguments of an HTTPS edge route's jwt_validation module. */
export interface HttpsEdgeRouteJwtValidationArgs extends HttpsEdgeRouteJwtValidationModule {
  /** The edge that the route belongs to. Set at creation only. */
  edgeId: pulumi.Input<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  routeId: pulumi.Input<string>;
}

/** The jwt_validation module of an HTTPS edge route, as a resource of its own: for programs that do not declare the HTTPS edge route itself. Admits only requests with a valid JSON Web Token. */
export class HttpsEdgeRouteJwtValidation extends Resource {
  /** The edge that the route belongs to. Set at creation only. */
  declare readonly edgeId: pulumi.Output<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  declare readonly routeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** Whether OPTIONS requests pass without a token, as CORS requires. Default `false`. */
  declare readonly optionsPassthrough: pulumi.Output<boolean>;

  /** Issuers whose tokens are accepted. */
  declare readonly issuer: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteJwtValidationArgs["issuer"]>>>;

  /** Audiences; a token must name one of them. */
  declare readonly audience: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteJwtValidationArgs["audience"]>>>;

  /** The place of the token in a request. */
  declare readonly http: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteJwtValidationArgs["http"]>>>;

  /** How signatures are checked. */
  declare readonly jws: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRouteJwtValidationArgs["jws"]>>>;

  /** Claims that a token must have, each with a list of texts. Every claim must match one of its texts. Default: none. A text matches the whole claim, in its case; `*` stands for any characters but `@`: `*@example.com`. A claim may be a text, a number, true or false, or a list of them where one has to match; `*` alone is any of these. `scope` and `scp` are lists of words with spaces between (RFC 8693). A dot leads into an object (`realm_access.roles`, `kubernetes.io.namespace`), `\.` is a dot of a name, and a name with `:` or `/` is one name (`https://example.com/roles`). A rule for `email` asks for `email_verified: true` too. At most 16 claims with 32 texts each; names and texts have at most 255 characters. */
  declare readonly requireClaims: pulumi.Output<Record<string, string[]>>;

  /** @param args the declared properties; see {@link HttpsEdgeRouteJwtValidationArgs} */
  constructor(name: string, args: HttpsEdgeRouteJwtValidationArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge_route.jwt_validation", type: "HttpsEdgeRouteJwtValidation", properties: ["edgeId", "routeId", "enabled", "optionsPassthrough", "issuer", "audience", "http", "jws", "requireClaims"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeRouteJwtValidation {
    return new HttpsEdgeRouteJwtValidation(name, {} as HttpsEdgeRouteJwtValidationArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeRouteJwtValidation, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeRouteJwtValidation {
    return isOfType(resource, "HttpsEdgeRouteJwtValidation");
  }
}

/** The arguments of an HTTPS edge route's user_agent_filter module. */
export interface HttpsEdgeRouteUserAgentFilterArgs extends HttpsEdgeRouteUserAgentFilterModule {
  /** The edge that the route belongs to. Set at creation only. */
  edgeId: pulumi.Input<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  routeId: pulumi.Input<string>;
}

/** The user_agent_filter module of an HTTPS edge route, as a resource of its own: for programs that do not declare the HTTPS edge route itself. Allows or denies requests by their User-Agent header. */
export class HttpsEdgeRouteUserAgentFilter extends Resource {
  /** The edge that the route belongs to. Set at creation only. */
  declare readonly edgeId: pulumi.Output<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  declare readonly routeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** Regular expressions (RE2) for agents that are admitted. Each has at most 512 bytes and a program of at most 1024 instructions; counts of repetitions multiply. At most 100 in `allow` and `deny` together. */
  declare readonly allow: pulumi.Output<string[]>;

  /** Regular expressions (RE2) for agents that are refused. Each has at most 512 bytes and a program of at most 1024 instructions; counts of repetitions multiply. At most 100 in `allow` and `deny` together. */
  declare readonly deny: pulumi.Output<string[]>;

  /** @param args the declared properties; see {@link HttpsEdgeRouteUserAgentFilterArgs} */
  constructor(name: string, args: HttpsEdgeRouteUserAgentFilterArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge_route.user_agent_filter", type: "HttpsEdgeRouteUserAgentFilter", properties: ["edgeId", "routeId", "enabled", "allow", "deny"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeRouteUserAgentFilter {
    return new HttpsEdgeRouteUserAgentFilter(name, {} as HttpsEdgeRouteUserAgentFilterArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeRouteUserAgentFilter, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeRouteUserAgentFilter {
    return isOfType(resource, "HttpsEdgeRouteUserAgentFilter");
  }
}

/** The arguments of an HTTPS edge route's policies module. */
export interface HttpsEdgeRoutePoliciesArgs extends HttpsEdgeRoutePoliciesModule {
  /** The edge that the route belongs to. Set at creation only. */
  edgeId: pulumi.Input<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  routeId: pulumi.Input<string>;
}

/** The policies module of an HTTPS edge route, as a resource of its own: for programs that do not declare the HTTPS edge route itself. Conditions and actions on inbound and outbound traffic. */
export class HttpsEdgeRoutePolicies extends Resource {
  /** The edge that the route belongs to. Set at creation only. */
  declare readonly edgeId: pulumi.Output<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  declare readonly routeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** Policies for inbound traffic. */
  declare readonly inbound: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRoutePoliciesArgs["inbound"]>>>;

  /** Policies for outbound traffic. */
  declare readonly outbound: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeRoutePoliciesArgs["outbound"]>>>;

  /** @param args the declared properties; see {@link HttpsEdgeRoutePoliciesArgs} */
  constructor(name: string, args: HttpsEdgeRoutePoliciesArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge_route.policies", type: "HttpsEdgeRoutePolicies", properties: ["edgeId", "routeId", "enabled", "inbound", "outbound"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeRoutePolicies {
    return new HttpsEdgeRoutePolicies(name, {} as HttpsEdgeRoutePoliciesArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeRoutePolicies, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeRoutePolicies {
    return isOfType(resource, "HttpsEdgeRoutePolicies");
  }
}

/** The arguments of an HTTPS edge route's request_headers module. */
export interface HttpsEdgeRouteRequestHeadersArgs extends HttpsEdgeRouteRequestHeadersModule {
  /** The edge that the route belongs to. Set at creation only. */
  edgeId: pulumi.Input<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  routeId: pulumi.Input<string>;
}

/** The request_headers module of an HTTPS edge route, as a resource of its own: for programs that do not declare the HTTPS edge route itself. Changes headers of each request. Backends get them; modules that decide about the request see the headers that the caller sent. */
export class HttpsEdgeRouteRequestHeaders extends Resource {
  /** The edge that the route belongs to. Set at creation only. */
  declare readonly edgeId: pulumi.Output<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  declare readonly routeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** Headers to set, by name. One that is there already is replaced. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade. */
  declare readonly add: pulumi.Output<Record<string, string>>;

  /** Names of headers to take away, in any case. */
  declare readonly remove: pulumi.Output<string[]>;

  /** @param args the declared properties; see {@link HttpsEdgeRouteRequestHeadersArgs} */
  constructor(name: string, args: HttpsEdgeRouteRequestHeadersArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge_route.request_headers", type: "HttpsEdgeRouteRequestHeaders", properties: ["edgeId", "routeId", "enabled", "add", "remove"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeRouteRequestHeaders {
    return new HttpsEdgeRouteRequestHeaders(name, {} as HttpsEdgeRouteRequestHeadersArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeRouteRequestHeaders, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeRouteRequestHeaders {
    return isOfType(resource, "HttpsEdgeRouteRequestHeaders");
  }
}

/** The arguments of an HTTPS edge route's response_headers module. */
export interface HttpsEdgeRouteResponseHeadersArgs extends HttpsEdgeRouteResponseHeadersModule {
  /** The edge that the route belongs to. Set at creation only. */
  edgeId: pulumi.Input<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  routeId: pulumi.Input<string>;
}

/** The response_headers module of an HTTPS edge route, as a resource of its own: for programs that do not declare the HTTPS edge route itself. Changes headers of each response. */
export class HttpsEdgeRouteResponseHeaders extends Resource {
  /** The edge that the route belongs to. Set at creation only. */
  declare readonly edgeId: pulumi.Output<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  declare readonly routeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** Headers to set, by name. One that is there already is replaced. Names and values as in RFC 9110, a value of at most 8192 bytes; not connection, content-length, host, keep-alive, proxy-connection, te, trailer, transfer-encoding, upgrade. */
  declare readonly add: pulumi.Output<Record<string, string>>;

  /** Names of headers to take away, in any case. */
  declare readonly remove: pulumi.Output<string[]>;

  /** @param args the declared properties; see {@link HttpsEdgeRouteResponseHeadersArgs} */
  constructor(name: string, args: HttpsEdgeRouteResponseHeadersArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge_route.response_headers", type: "HttpsEdgeRouteResponseHeaders", properties: ["edgeId", "routeId", "enabled", "add", "remove"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeRouteResponseHeaders {
    return new HttpsEdgeRouteResponseHeaders(name, {} as HttpsEdgeRouteResponseHeadersArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeRouteResponseHeaders, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeRouteResponseHeaders {
    return isOfType(resource, "HttpsEdgeRouteResponseHeaders");
  }
}

/** The arguments of an HTTPS edge route's compression module. */
export interface HttpsEdgeRouteCompressionArgs extends HttpsEdgeRouteCompressionModule {
  /** The edge that the route belongs to. Set at creation only. */
  edgeId: pulumi.Input<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  routeId: pulumi.Input<string>;
}

/** The compression module of an HTTPS edge route, as a resource of its own: for programs that do not declare the HTTPS edge route itself. Compresses answers with brotli or gzip, as the caller asks in Accept-Encoding: texts, JSON, JavaScript, XML, SVG and WebAssembly of 256 bytes and more. */
export class HttpsEdgeRouteCompression extends Resource {
  /** The edge that the route belongs to. Set at creation only. */
  declare readonly edgeId: pulumi.Output<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  declare readonly routeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** @param args the declared properties; see {@link HttpsEdgeRouteCompressionArgs} */
  constructor(name: string, args: HttpsEdgeRouteCompressionArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge_route.compression", type: "HttpsEdgeRouteCompression", properties: ["edgeId", "routeId", "enabled"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeRouteCompression {
    return new HttpsEdgeRouteCompression(name, {} as HttpsEdgeRouteCompressionArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeRouteCompression, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeRouteCompression {
    return isOfType(resource, "HttpsEdgeRouteCompression");
  }
}

/** The arguments of an HTTPS edge route's circuit_breaker module. */
export interface HttpsEdgeRouteCircuitBreakerArgs extends HttpsEdgeRouteCircuitBreakerModule {
  /** The edge that the route belongs to. Set at creation only. */
  edgeId: pulumi.Input<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  routeId: pulumi.Input<string>;
}

/** The circuit_breaker module of an HTTPS edge route, as a resource of its own: for programs that do not declare the HTTPS edge route itself. Answers 503 for a while where the backend fails too often, instead of asking it. */
export class HttpsEdgeRouteCircuitBreaker extends Resource {
  /** The edge that the route belongs to. Set at creation only. */
  declare readonly edgeId: pulumi.Output<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  declare readonly routeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** How long no request reaches the backend, in seconds; up to a `rolling_window` longer, because a gateway looks once in each. At most a day. Default `10`. */
  declare readonly trippedDuration: pulumi.Output<number>;

  /** The time in which requests and errors are counted, in seconds. At most a day. Default `10`. */
  declare readonly rollingWindow: pulumi.Output<number>;

  /** Stored for programs that name it. Gateways count in windows that follow each other, and divide none of them. Default `10`. */
  declare readonly numBuckets: pulumi.Output<number>;

  /** The fewest requests in a window for which errors count. Default `10`. */
  declare readonly volumeThreshold: pulumi.Output<number>;

  /** The share of errors (answers of 500 and above, and connections that fail) from which the backend is not asked: a percentage, or at most 1 for a share, so that 0.5 is 50. Default `50`. */
  declare readonly errorThresholdPercentage: pulumi.Output<number>;

  /** @param args the declared properties; see {@link HttpsEdgeRouteCircuitBreakerArgs} */
  constructor(name: string, args: HttpsEdgeRouteCircuitBreakerArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge_route.circuit_breaker", type: "HttpsEdgeRouteCircuitBreaker", properties: ["edgeId", "routeId", "enabled", "trippedDuration", "rollingWindow", "numBuckets", "volumeThreshold", "errorThresholdPercentage"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeRouteCircuitBreaker {
    return new HttpsEdgeRouteCircuitBreaker(name, {} as HttpsEdgeRouteCircuitBreakerArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeRouteCircuitBreaker, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeRouteCircuitBreaker {
    return isOfType(resource, "HttpsEdgeRouteCircuitBreaker");
  }
}

/** The arguments of an HTTPS edge route's webhook_verification module. */
export interface HttpsEdgeRouteWebhookVerificationArgs extends HttpsEdgeRouteWebhookVerificationModule {
  /** The edge that the route belongs to. Set at creation only. */
  edgeId: pulumi.Input<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  routeId: pulumi.Input<string>;
}

/** The webhook_verification module of an HTTPS edge route, as a resource of its own: for programs that do not declare the HTTPS edge route itself. Refuses requests that a service did not sign with a secret that you share with it. Bodies have at most 1 MiB; larger ones are answered 413. */
export class HttpsEdgeRouteWebhookVerification extends Resource {
  /** The edge that the route belongs to. Set at creation only. */
  declare readonly edgeId: pulumi.Output<string>;

  /** The HTTPS edge route (`edghtsrt_…`). A change moves the module. */
  declare readonly routeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** The service that signs: `github`, `gitlab`, `shopify`, `slack`, `stripe`, `svix`, `twilio`. Signatures of Slack, Stripe and Svix may be five minutes old. */
  declare readonly provider: pulumi.Output<"github" | "gitlab" | "shopify" | "slack" | "stripe" | "svix" | "twilio">;

  /** The secret that the service signs with; for GitLab, its token; for Svix, `whsec_` and base64. Answers show null. An update that leaves it out keeps the one that is stored. Secret. */
  declare readonly secret: pulumi.Output<string | undefined>;

  /** @param args the declared properties; see {@link HttpsEdgeRouteWebhookVerificationArgs} */
  constructor(name: string, args: HttpsEdgeRouteWebhookVerificationArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge_route.webhook_verification", type: "HttpsEdgeRouteWebhookVerification", properties: ["edgeId", "routeId", "enabled", "provider", "secret"], secrets: ["secret"] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeRouteWebhookVerification {
    return new HttpsEdgeRouteWebhookVerification(name, {} as HttpsEdgeRouteWebhookVerificationArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeRouteWebhookVerification, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeRouteWebhookVerification {
    return isOfType(resource, "HttpsEdgeRouteWebhookVerification");
  }
}
