// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The fields of `backend`. */
export interface TcpEdgeBackendModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** The backend that gets the traffic. */
  backendId: pulumi.Input<string>;
}

/** The fields of `ipRestriction`. */
export interface TcpEdgeIpRestrictionModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** The IP policies that a source address is checked against; not empty while enabled. */
  ipPolicyIds: pulumi.Input<pulumi.Input<string>[]>;
}

/** The fields of `actions`. */
export interface TcpEdgePoliciesModuleInboundActions {
  /** The type of the action; actions that answer with HTTP work on routes of HTTPS edges only. */
  type: pulumi.Input<"deny" | "log" | "rate-limit" | "url-rewrite">;

  /** Settings of the action, by its type. `deny`: `statusCode` (optional): The status of the answer, 400 to 599. `log`: `metadata` (optional): Any JSON object of at most 4096 bytes, written with each line. `rate-limit`: `name` (required): A name for the limit. `algorithm` (optional): How requests are counted: "sliding_window". `capacity` (required): How many requests pass, 1 to 1,000,000. `rate` (required): The time that they are counted in, such as "60s", "5m" or "1h", at most 24 hours. `bucketKey` (optional): Up to 100 values by which requests are counted separately. `url-rewrite`: `from` (required): An RE2 expression for the part to replace, up to 2048 bytes. `to` (required): The replacement, up to 2048 characters; `$1` is the first group. Programs and catalogues spell the names in camelCase, or as the API does. */
  config?: pulumi.Input<Record<string, pulumi.Input<unknown>>>;
}

/** The fields of `inbound`. */
export interface TcpEdgePoliciesModuleInbound {
  /** A name for people. */
  name?: pulumi.Input<string>;

  /** Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve `req.method`, `req.host`, `req.path`, `req.user_agent`, `conn.client_ip`, `conn.ClientIP`, `conn.tls.sni`, `req.headers["x"]`, comparison, `in`, `startsWith`, `endsWith`, `contains`, `matches`, `inCidrRange`, `&&`, `||`, `!`, parentheses, literals and lists; other CEL is stored, and a preview warns about it. */
  expressions?: pulumi.Input<pulumi.Input<string>[]>;

  /** The actions, in the order in which they run. */
  actions: pulumi.Input<pulumi.Input<TcpEdgePoliciesModuleInboundActions>[]>;
}

/** The fields of `actions`. */
export interface TcpEdgePoliciesModuleOutboundActions {
  /** The type of the action; actions that answer with HTTP work on routes of HTTPS edges only. */
  type: pulumi.Input<"deny" | "log" | "rate-limit" | "url-rewrite">;

  /** Settings of the action, by its type. `deny`: `statusCode` (optional): The status of the answer, 400 to 599. `log`: `metadata` (optional): Any JSON object of at most 4096 bytes, written with each line. `rate-limit`: `name` (required): A name for the limit. `algorithm` (optional): How requests are counted: "sliding_window". `capacity` (required): How many requests pass, 1 to 1,000,000. `rate` (required): The time that they are counted in, such as "60s", "5m" or "1h", at most 24 hours. `bucketKey` (optional): Up to 100 values by which requests are counted separately. `url-rewrite`: `from` (required): An RE2 expression for the part to replace, up to 2048 bytes. `to` (required): The replacement, up to 2048 characters; `$1` is the first group. Programs and catalogues spell the names in camelCase, or as the API does. */
  config?: pulumi.Input<Record<string, pulumi.Input<unknown>>>;
}

/** The fields of `outbound`. */
export interface TcpEdgePoliciesModuleOutbound {
  /** A name for people. */
  name?: pulumi.Input<string>;

  /** Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve `req.method`, `req.host`, `req.path`, `req.user_agent`, `conn.client_ip`, `conn.ClientIP`, `conn.tls.sni`, `req.headers["x"]`, comparison, `in`, `startsWith`, `endsWith`, `contains`, `matches`, `inCidrRange`, `&&`, `||`, `!`, parentheses, literals and lists; other CEL is stored, and a preview warns about it. */
  expressions?: pulumi.Input<pulumi.Input<string>[]>;

  /** The actions, in the order in which they run. */
  actions: pulumi.Input<pulumi.Input<TcpEdgePoliciesModuleOutboundActions>[]>;
}

/** The fields of `policies`. */
export interface TcpEdgePoliciesModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** Policies for inbound traffic. */
  inbound?: pulumi.Input<pulumi.Input<TcpEdgePoliciesModuleInbound>[]>;

  /** Policies for outbound traffic. */
  outbound?: pulumi.Input<pulumi.Input<TcpEdgePoliciesModuleOutbound>[]>;
}

/** The arguments of a TCP edge. */
export interface TcpEdgeArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The hostports that the edge serves, each `<host>:<port>`: a domain name or an IP address, and a port of the server's `--tcp-ports`. All connections to the port come here, so no other edge may have it. */
  hostports?: pulumi.Input<pulumi.Input<string>[]>;

  /** The backend of the traffic. */
  backend?: pulumi.Input<TcpEdgeBackendModule>;

  /** Limits the source addresses that may connect. */
  ipRestriction?: pulumi.Input<TcpEdgeIpRestrictionModule>;

  /** Conditions and actions on inbound and outbound traffic. */
  policies?: pulumi.Input<TcpEdgePoliciesModule>;
}

/**
 * Serves ports over TCP and sends the bytes of each connection to a backend as they are. Connections say no name, so a port belongs to one edge. Its modules restrict and shape that traffic; each can be declared here or as a resource of its own.
 *
 * @example
 * ```ts
 * const edge = new tunnels.TcpEdge("edge", {
 *   hostports: ["db.example.com:20001"],
 *   backend: { backendId: database.id },
 *   ipRestriction: { ipPolicyIds: [office.id] },
 * });
 * ```
 */
export class TcpEdge extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The hostports that the edge serves, each `<host>:<port>`: a domain name or an IP address, and a port of the server's `--tcp-ports`. All connections to the port come here, so no other edge may have it. */
  declare readonly hostports: pulumi.Output<string[]>;

  /** The backend of the traffic. */
  declare readonly backend: pulumi.Output<pulumi.Unwrap<NonNullable<TcpEdgeArgs["backend"]>> | undefined>;

  /** Limits the source addresses that may connect. */
  declare readonly ipRestriction: pulumi.Output<pulumi.Unwrap<NonNullable<TcpEdgeArgs["ipRestriction"]>> | undefined>;

  /** Conditions and actions on inbound and outbound traffic. */
  declare readonly policies: pulumi.Output<pulumi.Unwrap<NonNullable<TcpEdgeArgs["policies"]>> | undefined>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link TcpEdgeArgs} */
  constructor(name: string, args: TcpEdgeArgs = {}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "tcp_edge", type: "TcpEdge", properties: ["description", "metadata", "hostports", "backend", "ipRestriction", "policies", "uri", "createdAt"], secrets: [], unique: true }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TcpEdge {
    return new TcpEdge(name, {} as TcpEdgeArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.TcpEdge, …)`. */
  static override isInstance(resource: unknown): resource is TcpEdge {
    return isOfType(resource, "TcpEdge");
  }
}

/** The arguments of a TCP edge's backend module. */
export interface TcpEdgeBackendArgs extends TcpEdgeBackendModule {
  /** The TCP edge (`edgtcp_…`). A change moves the module. */
  edgeId: pulumi.Input<string>;
}

/** The backend module of a TCP edge, as a resource of its own: for programs that do not declare the TCP edge itself. The backend of the traffic. */
export class TcpEdgeBackend extends Resource {
  /** The TCP edge (`edgtcp_…`). A change moves the module. */
  declare readonly edgeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** The backend that gets the traffic. */
  declare readonly backendId: pulumi.Output<string>;

  /** @param args the declared properties; see {@link TcpEdgeBackendArgs} */
  constructor(name: string, args: TcpEdgeBackendArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "tcp_edge.backend", type: "TcpEdgeBackend", properties: ["edgeId", "enabled", "backendId"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TcpEdgeBackend {
    return new TcpEdgeBackend(name, {} as TcpEdgeBackendArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.TcpEdgeBackend, …)`. */
  static override isInstance(resource: unknown): resource is TcpEdgeBackend {
    return isOfType(resource, "TcpEdgeBackend");
  }
}

/** The arguments of a TCP edge's ip_restriction module. */
export interface TcpEdgeIpRestrictionArgs extends TcpEdgeIpRestrictionModule {
  /** The TCP edge (`edgtcp_…`). A change moves the module. */
  edgeId: pulumi.Input<string>;
}

/** The ip_restriction module of a TCP edge, as a resource of its own: for programs that do not declare the TCP edge itself. Limits the source addresses that may connect. */
export class TcpEdgeIpRestriction extends Resource {
  /** The TCP edge (`edgtcp_…`). A change moves the module. */
  declare readonly edgeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** The IP policies that a source address is checked against; not empty while enabled. */
  declare readonly ipPolicyIds: pulumi.Output<string[]>;

  /** @param args the declared properties; see {@link TcpEdgeIpRestrictionArgs} */
  constructor(name: string, args: TcpEdgeIpRestrictionArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "tcp_edge.ip_restriction", type: "TcpEdgeIpRestriction", properties: ["edgeId", "enabled", "ipPolicyIds"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TcpEdgeIpRestriction {
    return new TcpEdgeIpRestriction(name, {} as TcpEdgeIpRestrictionArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.TcpEdgeIpRestriction, …)`. */
  static override isInstance(resource: unknown): resource is TcpEdgeIpRestriction {
    return isOfType(resource, "TcpEdgeIpRestriction");
  }
}

/** The arguments of a TCP edge's policies module. */
export interface TcpEdgePoliciesArgs extends TcpEdgePoliciesModule {
  /** The TCP edge (`edgtcp_…`). A change moves the module. */
  edgeId: pulumi.Input<string>;
}

/** The policies module of a TCP edge, as a resource of its own: for programs that do not declare the TCP edge itself. Conditions and actions on inbound and outbound traffic. */
export class TcpEdgePolicies extends Resource {
  /** The TCP edge (`edgtcp_…`). A change moves the module. */
  declare readonly edgeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** Policies for inbound traffic. */
  declare readonly inbound: pulumi.Output<pulumi.Unwrap<NonNullable<TcpEdgePoliciesArgs["inbound"]>>>;

  /** Policies for outbound traffic. */
  declare readonly outbound: pulumi.Output<pulumi.Unwrap<NonNullable<TcpEdgePoliciesArgs["outbound"]>>>;

  /** @param args the declared properties; see {@link TcpEdgePoliciesArgs} */
  constructor(name: string, args: TcpEdgePoliciesArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "tcp_edge.policies", type: "TcpEdgePolicies", properties: ["edgeId", "enabled", "inbound", "outbound"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TcpEdgePolicies {
    return new TcpEdgePolicies(name, {} as TcpEdgePoliciesArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.TcpEdgePolicies, …)`. */
  static override isInstance(resource: unknown): resource is TcpEdgePolicies {
    return isOfType(resource, "TcpEdgePolicies");
  }
}
