// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The fields of `backend`. */
export interface TlsEdgeBackendModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** The backend that gets the traffic. */
  backendId: pulumi.Input<string>;
}

/** The fields of `ipRestriction`. */
export interface TlsEdgeIpRestrictionModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** The IP policies that a source address is checked against; not empty while enabled. */
  ipPolicyIds: pulumi.Input<pulumi.Input<string>[]>;
}

/** The fields of `mutualTls`. */
export interface TlsEdgeMutualTlsModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** The authorities that may have signed a client's certificate; not empty while enabled. */
  certificateAuthorityIds: pulumi.Input<pulumi.Input<string>[]>;
}

/** The fields of `tlsTermination`. */
export interface TlsEdgeTlsTerminationModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** Where TLS is terminated: at the `edge`, or `upstream` at the agent or server. Default `edge`. */
  terminateAt?: pulumi.Input<"edge" | "upstream">;

  /** The lowest TLS version that is accepted. Default `1.2`; null when TLS is terminated upstream. */
  minVersion?: pulumi.Input<"1.2" | "1.3" | null>;
}

/** The fields of `actions`. */
export interface TlsEdgePoliciesModuleInboundActions {
  /** The type of the action; actions that answer with HTTP work on routes of HTTPS edges only. */
  type: pulumi.Input<"deny" | "log" | "rate-limit" | "url-rewrite">;

  /** Settings of the action, by its type. `deny`: `statusCode` (optional): The status of the answer, 400 to 599. `log`: `metadata` (optional): Any JSON object of at most 4096 bytes, written with each line. `rate-limit`: `name` (required): A name for the limit. `algorithm` (optional): How requests are counted: "sliding_window". `capacity` (required): How many requests pass, 1 to 1,000,000. `rate` (required): The time that they are counted in, such as "60s", "5m" or "1h", at most 24 hours. `bucketKey` (optional): Up to 100 values by which requests are counted separately. `url-rewrite`: `from` (required): An RE2 expression for the part to replace, up to 2048 bytes. `to` (required): The replacement, up to 2048 characters; `$1` is the first group. Programs and catalogues spell the names in camelCase, or as the API does. */
  config?: pulumi.Input<Record<string, pulumi.Input<unknown>>>;
}

/** The fields of `inbound`. */
export interface TlsEdgePoliciesModuleInbound {
  /** A name for people. */
  name?: pulumi.Input<string>;

  /** Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve `req.method`, `req.host`, `req.path`, `req.user_agent`, `conn.client_ip`, `conn.ClientIP`, `conn.tls.sni`, `req.headers["x"]`, comparison, `in`, `startsWith`, `endsWith`, `contains`, `matches`, `inCidrRange`, `&&`, `||`, `!`, parentheses, literals and lists; other CEL is stored, and a preview warns about it. */
  expressions?: pulumi.Input<pulumi.Input<string>[]>;

  /** The actions, in the order in which they run. */
  actions: pulumi.Input<pulumi.Input<TlsEdgePoliciesModuleInboundActions>[]>;
}

/** The fields of `actions`. */
export interface TlsEdgePoliciesModuleOutboundActions {
  /** The type of the action; actions that answer with HTTP work on routes of HTTPS edges only. */
  type: pulumi.Input<"deny" | "log" | "rate-limit" | "url-rewrite">;

  /** Settings of the action, by its type. `deny`: `statusCode` (optional): The status of the answer, 400 to 599. `log`: `metadata` (optional): Any JSON object of at most 4096 bytes, written with each line. `rate-limit`: `name` (required): A name for the limit. `algorithm` (optional): How requests are counted: "sliding_window". `capacity` (required): How many requests pass, 1 to 1,000,000. `rate` (required): The time that they are counted in, such as "60s", "5m" or "1h", at most 24 hours. `bucketKey` (optional): Up to 100 values by which requests are counted separately. `url-rewrite`: `from` (required): An RE2 expression for the part to replace, up to 2048 bytes. `to` (required): The replacement, up to 2048 characters; `$1` is the first group. Programs and catalogues spell the names in camelCase, or as the API does. */
  config?: pulumi.Input<Record<string, pulumi.Input<unknown>>>;
}

/** The fields of `outbound`. */
export interface TlsEdgePoliciesModuleOutbound {
  /** A name for people. */
  name?: pulumi.Input<string>;

  /** Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve `req.method`, `req.host`, `req.path`, `req.user_agent`, `conn.client_ip`, `conn.ClientIP`, `conn.tls.sni`, `req.headers["x"]`, comparison, `in`, `startsWith`, `endsWith`, `contains`, `matches`, `inCidrRange`, `&&`, `||`, `!`, parentheses, literals and lists; other CEL is stored, and a preview warns about it. */
  expressions?: pulumi.Input<pulumi.Input<string>[]>;

  /** The actions, in the order in which they run. */
  actions: pulumi.Input<pulumi.Input<TlsEdgePoliciesModuleOutboundActions>[]>;
}

/** The fields of `policies`. */
export interface TlsEdgePoliciesModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** Policies for inbound traffic. */
  inbound?: pulumi.Input<pulumi.Input<TlsEdgePoliciesModuleInbound>[]>;

  /** Policies for outbound traffic. */
  outbound?: pulumi.Input<pulumi.Input<TlsEdgePoliciesModuleOutbound>[]>;
}

/** The arguments of a TLS edge. */
export interface TlsEdgeArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The hostports that the edge serves, each `<host>:<port>`. No two edges may serve the same one. */
  hostports?: pulumi.Input<pulumi.Input<string>[]>;

  /** The backend of the traffic. */
  backend?: pulumi.Input<TlsEdgeBackendModule>;

  /** Limits the source addresses that may connect. */
  ipRestriction?: pulumi.Input<TlsEdgeIpRestrictionModule>;

  /** Requires client certificates of certain authorities. */
  mutualTls?: pulumi.Input<TlsEdgeMutualTlsModule>;

  /** Sets where TLS is terminated, and the lowest version. */
  tlsTermination?: pulumi.Input<TlsEdgeTlsTerminationModule>;

  /** Conditions and actions on inbound and outbound traffic. */
  policies?: pulumi.Input<TlsEdgePoliciesModule>;
}

/**
 * Serves hostports over TLS and sends their traffic to a backend. Its modules restrict, authenticate and shape that traffic; each can be declared here or as a resource of its own.
 *
 * @example
 * ```ts
 * const edge = new tunnels.TlsEdge("edge", {
 *   hostports: ["app.example.com:443"],
 *   backend: { backendId: web.id },
 *   mutualTls: { certificateAuthorityIds: [clients.id] },
 *   tlsTermination: { minVersion: "1.3" },
 * });
 * ```
 */
export class TlsEdge extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The hostports that the edge serves, each `<host>:<port>`. No two edges may serve the same one. */
  declare readonly hostports: pulumi.Output<string[]>;

  /** The backend of the traffic. */
  declare readonly backend: pulumi.Output<pulumi.Unwrap<NonNullable<TlsEdgeArgs["backend"]>> | undefined>;

  /** Limits the source addresses that may connect. */
  declare readonly ipRestriction: pulumi.Output<pulumi.Unwrap<NonNullable<TlsEdgeArgs["ipRestriction"]>> | undefined>;

  /** Requires client certificates of certain authorities. */
  declare readonly mutualTls: pulumi.Output<pulumi.Unwrap<NonNullable<TlsEdgeArgs["mutualTls"]>> | undefined>;

  /** Sets where TLS is terminated, and the lowest version. */
  declare readonly tlsTermination: pulumi.Output<pulumi.Unwrap<NonNullable<TlsEdgeArgs["tlsTermination"]>> | undefined>;

  /** Conditions and actions on inbound and outbound traffic. */
  declare readonly policies: pulumi.Output<pulumi.Unwrap<NonNullable<TlsEdgeArgs["policies"]>> | undefined>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link TlsEdgeArgs} */
  constructor(name: string, args: TlsEdgeArgs = {}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "tls_edge", type: "TlsEdge", properties: ["description", "metadata", "hostports", "backend", "ipRestriction", "mutualTls", "tlsTermination", "policies", "uri", "createdAt"], secrets: [], unique: true }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TlsEdge {
    return new TlsEdge(name, {} as TlsEdgeArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.TlsEdge, …)`. */
  static override isInstance(resource: unknown): resource is TlsEdge {
    return isOfType(resource, "TlsEdge");
  }
}

/** The arguments of a TLS edge's backend module. */
export interface TlsEdgeBackendArgs extends TlsEdgeBackendModule {
  /** The TLS edge (`edgtls_…`). A change moves the module. */
  edgeId: pulumi.Input<string>;
}

/** The backend module of a TLS edge, as a resource of its own: for programs that do not declare the TLS edge itself. The backend of the traffic. */
export class TlsEdgeBackend extends Resource {
  /** The TLS edge (`edgtls_…`). A change moves the module. */
  declare readonly edgeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** The backend that gets the traffic. */
  declare readonly backendId: pulumi.Output<string>;

  /** @param args the declared properties; see {@link TlsEdgeBackendArgs} */
  constructor(name: string, args: TlsEdgeBackendArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "tls_edge.backend", type: "TlsEdgeBackend", properties: ["edgeId", "enabled", "backendId"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TlsEdgeBackend {
    return new TlsEdgeBackend(name, {} as TlsEdgeBackendArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.TlsEdgeBackend, …)`. */
  static override isInstance(resource: unknown): resource is TlsEdgeBackend {
    return isOfType(resource, "TlsEdgeBackend");
  }
}

/** The arguments of a TLS edge's ip_restriction module. */
export interface TlsEdgeIpRestrictionArgs extends TlsEdgeIpRestrictionModule {
  /** The TLS edge (`edgtls_…`). A change moves the module. */
  edgeId: pulumi.Input<string>;
}

/** The ip_restriction module of a TLS edge, as a resource of its own: for programs that do not declare the TLS edge itself. Limits the source addresses that may connect. */
export class TlsEdgeIpRestriction extends Resource {
  /** The TLS edge (`edgtls_…`). A change moves the module. */
  declare readonly edgeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** The IP policies that a source address is checked against; not empty while enabled. */
  declare readonly ipPolicyIds: pulumi.Output<string[]>;

  /** @param args the declared properties; see {@link TlsEdgeIpRestrictionArgs} */
  constructor(name: string, args: TlsEdgeIpRestrictionArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "tls_edge.ip_restriction", type: "TlsEdgeIpRestriction", properties: ["edgeId", "enabled", "ipPolicyIds"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TlsEdgeIpRestriction {
    return new TlsEdgeIpRestriction(name, {} as TlsEdgeIpRestrictionArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.TlsEdgeIpRestriction, …)`. */
  static override isInstance(resource: unknown): resource is TlsEdgeIpRestriction {
    return isOfType(resource, "TlsEdgeIpRestriction");
  }
}

/** The arguments of a TLS edge's mutual_tls module. */
export interface TlsEdgeMutualTlsArgs extends TlsEdgeMutualTlsModule {
  /** The TLS edge (`edgtls_…`). A change moves the module. */
  edgeId: pulumi.Input<string>;
}

/** The mutual_tls module of a TLS edge, as a resource of its own: for programs that do not declare the TLS edge itself. Requires client certificates of certain authorities. */
export class TlsEdgeMutualTls extends Resource {
  /** The TLS edge (`edgtls_…`). A change moves the module. */
  declare readonly edgeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** The authorities that may have signed a client's certificate; not empty while enabled. */
  declare readonly certificateAuthorityIds: pulumi.Output<string[]>;

  /** @param args the declared properties; see {@link TlsEdgeMutualTlsArgs} */
  constructor(name: string, args: TlsEdgeMutualTlsArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "tls_edge.mutual_tls", type: "TlsEdgeMutualTls", properties: ["edgeId", "enabled", "certificateAuthorityIds"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TlsEdgeMutualTls {
    return new TlsEdgeMutualTls(name, {} as TlsEdgeMutualTlsArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.TlsEdgeMutualTls, …)`. */
  static override isInstance(resource: unknown): resource is TlsEdgeMutualTls {
    return isOfType(resource, "TlsEdgeMutualTls");
  }
}

/** The arguments of a TLS edge's tls_termination module. */
export interface TlsEdgeTlsTerminationArgs extends TlsEdgeTlsTerminationModule {
  /** The TLS edge (`edgtls_…`). A change moves the module. */
  edgeId: pulumi.Input<string>;
}

/** The tls_termination module of a TLS edge, as a resource of its own: for programs that do not declare the TLS edge itself. Sets where TLS is terminated, and the lowest version. */
export class TlsEdgeTlsTermination extends Resource {
  /** The TLS edge (`edgtls_…`). A change moves the module. */
  declare readonly edgeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** Where TLS is terminated: at the `edge`, or `upstream` at the agent or server. Default `edge`. */
  declare readonly terminateAt: pulumi.Output<"edge" | "upstream">;

  /** The lowest TLS version that is accepted. Default `1.2`; null when TLS is terminated upstream. */
  declare readonly minVersion: pulumi.Output<"1.2" | "1.3" | undefined>;

  /** @param args the declared properties; see {@link TlsEdgeTlsTerminationArgs} */
  constructor(name: string, args: TlsEdgeTlsTerminationArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "tls_edge.tls_termination", type: "TlsEdgeTlsTermination", properties: ["edgeId", "enabled", "terminateAt", "minVersion"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TlsEdgeTlsTermination {
    return new TlsEdgeTlsTermination(name, {} as TlsEdgeTlsTerminationArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.TlsEdgeTlsTermination, …)`. */
  static override isInstance(resource: unknown): resource is TlsEdgeTlsTermination {
    return isOfType(resource, "TlsEdgeTlsTermination");
  }
}

/** The arguments of a TLS edge's policies module. */
export interface TlsEdgePoliciesArgs extends TlsEdgePoliciesModule {
  /** The TLS edge (`edgtls_…`). A change moves the module. */
  edgeId: pulumi.Input<string>;
}

/** The policies module of a TLS edge, as a resource of its own: for programs that do not declare the TLS edge itself. Conditions and actions on inbound and outbound traffic. */
export class TlsEdgePolicies extends Resource {
  /** The TLS edge (`edgtls_…`). A change moves the module. */
  declare readonly edgeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** Policies for inbound traffic. */
  declare readonly inbound: pulumi.Output<pulumi.Unwrap<NonNullable<TlsEdgePoliciesArgs["inbound"]>>>;

  /** Policies for outbound traffic. */
  declare readonly outbound: pulumi.Output<pulumi.Unwrap<NonNullable<TlsEdgePoliciesArgs["outbound"]>>>;

  /** @param args the declared properties; see {@link TlsEdgePoliciesArgs} */
  constructor(name: string, args: TlsEdgePoliciesArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "tls_edge.policies", type: "TlsEdgePolicies", properties: ["edgeId", "enabled", "inbound", "outbound"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TlsEdgePolicies {
    return new TlsEdgePolicies(name, {} as TlsEdgePoliciesArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.TlsEdgePolicies, …)`. */
  static override isInstance(resource: unknown): resource is TlsEdgePolicies {
    return isOfType(resource, "TlsEdgePolicies");
  }
}
