// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The fields of `tls`. */
export interface StaticBackendTlsModule {
  /** Whether to connect to the address with TLS. Default `false`. */
  enabled?: pulumi.Input<boolean>;
}

/** The arguments of a static backend. */
export interface StaticBackendArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The address that gets the traffic: `<host>:<port>`. */
  address: pulumi.Input<string>;

  /** TLS to the address. Default `{"enabled":false}`. */
  tls?: pulumi.Input<StaticBackendTlsModule>;

  /** What the application speaks. `http1` and `http2` are always used. `auto`: with TLS what it chooses (ALPN), and without HTTP/2 for gRPC alone. TLS edges offer callers `http/1.1`, `h2`, or for `auto` either. Default `auto`. */
  protocol?: pulumi.Input<"auto" | "http1" | "http2">;

  /** After how many seconds without a byte in either direction a request, a WebSocket or a connection is ended, 1 to 86,400. Default 300. */
  idleTimeout?: pulumi.Input<number>;
}

/**
 * Sends traffic to a fixed address.
 *
 * @example
 * ```ts
 * const legacy = new tunnels.StaticBackend("legacy", { address: "10.0.0.7:8443", tls: { enabled: true } });
 * ```
 */
export class StaticBackend extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The address that gets the traffic: `<host>:<port>`. */
  declare readonly address: pulumi.Output<string>;

  /** TLS to the address. Default `{"enabled":false}`. */
  declare readonly tls: pulumi.Output<pulumi.Unwrap<NonNullable<StaticBackendArgs["tls"]>>>;

  /** What the application speaks. `http1` and `http2` are always used. `auto`: with TLS what it chooses (ALPN), and without HTTP/2 for gRPC alone. TLS edges offer callers `http/1.1`, `h2`, or for `auto` either. Default `auto`. */
  declare readonly protocol: pulumi.Output<"auto" | "http1" | "http2">;

  /** After how many seconds without a byte in either direction a request, a WebSocket or a connection is ended, 1 to 86,400. Default 300. */
  declare readonly idleTimeout: pulumi.Output<number>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link StaticBackendArgs} */
  constructor(name: string, args: StaticBackendArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "static_backend", type: "StaticBackend", properties: ["description", "metadata", "address", "tls", "protocol", "idleTimeout", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): StaticBackend {
    return new StaticBackend(name, {} as StaticBackendArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.StaticBackend, …)`. */
  static override isInstance(resource: unknown): resource is StaticBackend {
    return isOfType(resource, "StaticBackend");
  }
}
