// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The fields of `mutualTls`. */
export interface HttpsEdgeMutualTlsModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** The authorities that may have signed a client's certificate; not empty while enabled. */
  certificateAuthorityIds: pulumi.Input<pulumi.Input<string>[]>;
}

/** The fields of `tlsTermination`. */
export interface HttpsEdgeTlsTerminationModule {
  /** Whether the module is applied to traffic. Default true. */
  enabled?: pulumi.Input<boolean>;

  /** The lowest TLS version that is accepted. Default `1.2`. */
  minVersion?: pulumi.Input<"1.2" | "1.3">;
}

/** The arguments of an HTTPS edge. */
export interface HttpsEdgeArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The hostports that the edge serves, each `<host>:<port>`. No two edges may serve the same one. */
  hostports?: pulumi.Input<pulumi.Input<string>[]>;

  /** What happens to requests with `%2F` or `%5C` in their path: `reject` answers 400; `keep` passes them on as they are, and is allowed only while nothing on the edge depends on the path: one route for the prefix `/`, and no policy that asks for `req.path` or rewrites it. Default `reject`. */
  escapedSlashes?: pulumi.Input<"reject" | "keep">;

  /** Requires client certificates of certain authorities. */
  mutualTls?: pulumi.Input<HttpsEdgeMutualTlsModule>;

  /** Sets the lowest TLS version. */
  tlsTermination?: pulumi.Input<HttpsEdgeTlsTerminationModule>;
}

/**
 * Serves hostports over HTTPS and hands each request to the route that matches its path. Deleting an edge deletes its routes, which have at most 4 MiB together.
 *
 * @example
 * ```ts
 * const site = new tunnels.HttpsEdge("site", {
 *   hostports: ["www.example.com:443"],
 *   tlsTermination: { minVersion: "1.3" },
 * });
 * ```
 */
export class HttpsEdge extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The hostports that the edge serves, each `<host>:<port>`. No two edges may serve the same one. */
  declare readonly hostports: pulumi.Output<string[]>;

  /** What happens to requests with `%2F` or `%5C` in their path: `reject` answers 400; `keep` passes them on as they are, and is allowed only while nothing on the edge depends on the path: one route for the prefix `/`, and no policy that asks for `req.path` or rewrites it. Default `reject`. */
  declare readonly escapedSlashes: pulumi.Output<"reject" | "keep">;

  /** Requires client certificates of certain authorities. */
  declare readonly mutualTls: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeArgs["mutualTls"]>> | undefined>;

  /** Sets the lowest TLS version. */
  declare readonly tlsTermination: pulumi.Output<pulumi.Unwrap<NonNullable<HttpsEdgeArgs["tlsTermination"]>> | undefined>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link HttpsEdgeArgs} */
  constructor(name: string, args: HttpsEdgeArgs = {}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge", type: "HttpsEdge", properties: ["description", "metadata", "hostports", "escapedSlashes", "mutualTls", "tlsTermination", "uri", "createdAt"], secrets: [], unique: true }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdge {
    return new HttpsEdge(name, {} as HttpsEdgeArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdge, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdge {
    return isOfType(resource, "HttpsEdge");
  }
}

/** The arguments of an HTTPS edge's mutual_tls module. */
export interface HttpsEdgeMutualTlsArgs extends HttpsEdgeMutualTlsModule {
  /** The HTTPS edge (`edghts_…`). A change moves the module. */
  edgeId: pulumi.Input<string>;
}

/** The mutual_tls module of an HTTPS edge, as a resource of its own: for programs that do not declare the HTTPS edge itself. Requires client certificates of certain authorities. */
export class HttpsEdgeMutualTls extends Resource {
  /** The HTTPS edge (`edghts_…`). A change moves the module. */
  declare readonly edgeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** The authorities that may have signed a client's certificate; not empty while enabled. */
  declare readonly certificateAuthorityIds: pulumi.Output<string[]>;

  /** @param args the declared properties; see {@link HttpsEdgeMutualTlsArgs} */
  constructor(name: string, args: HttpsEdgeMutualTlsArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge.mutual_tls", type: "HttpsEdgeMutualTls", properties: ["edgeId", "enabled", "certificateAuthorityIds"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeMutualTls {
    return new HttpsEdgeMutualTls(name, {} as HttpsEdgeMutualTlsArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeMutualTls, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeMutualTls {
    return isOfType(resource, "HttpsEdgeMutualTls");
  }
}

/** The arguments of an HTTPS edge's tls_termination module. */
export interface HttpsEdgeTlsTerminationArgs extends HttpsEdgeTlsTerminationModule {
  /** The HTTPS edge (`edghts_…`). A change moves the module. */
  edgeId: pulumi.Input<string>;
}

/** The tls_termination module of an HTTPS edge, as a resource of its own: for programs that do not declare the HTTPS edge itself. Sets the lowest TLS version. */
export class HttpsEdgeTlsTermination extends Resource {
  /** The HTTPS edge (`edghts_…`). A change moves the module. */
  declare readonly edgeId: pulumi.Output<string>;

  /** Whether the module is applied to traffic. Default true. */
  declare readonly enabled: pulumi.Output<boolean>;

  /** The lowest TLS version that is accepted. Default `1.2`. */
  declare readonly minVersion: pulumi.Output<"1.2" | "1.3">;

  /** @param args the declared properties; see {@link HttpsEdgeTlsTerminationArgs} */
  constructor(name: string, args: HttpsEdgeTlsTerminationArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "https_edge.tls_termination", type: "HttpsEdgeTlsTermination", properties: ["edgeId", "enabled", "minVersion"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): HttpsEdgeTlsTermination {
    return new HttpsEdgeTlsTermination(name, {} as HttpsEdgeTlsTerminationArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.HttpsEdgeTlsTermination, …)`. */
  static override isInstance(resource: unknown): resource is HttpsEdgeTlsTermination {
    return isOfType(resource, "HttpsEdgeTlsTermination");
  }
}
