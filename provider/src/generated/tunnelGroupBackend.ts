// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of a tunnel-group backend. */
export interface TunnelGroupBackendArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The labels that a tunnel must have: your own keys and values, without `=`. */
  labels: pulumi.Input<Record<string, pulumi.Input<string>>>;

  /** What the application speaks. `http1` and `http2` are always used. `auto`: with TLS what it chooses (ALPN), and without HTTP/2 for gRPC alone. TLS edges offer callers `http/1.1`, `h2`, or for `auto` either. Default `auto`. */
  protocol?: pulumi.Input<"auto" | "http1" | "http2">;

  /** After how many seconds without a byte in either direction a request, a WebSocket or a connection is ended, 1 to 86,400. Default 300. */
  idleTimeout?: pulumi.Input<number>;
}

/**
 * Sends traffic to every tunnel that has all of these labels.
 *
 * @example
 * ```ts
 * const web = new tunnels.TunnelGroupBackend("web", {
 *   labels: { service: "web", env: "prod" },
 * });
 * ```
 */
export class TunnelGroupBackend extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The labels that a tunnel must have: your own keys and values, without `=`. */
  declare readonly labels: pulumi.Output<Record<string, string>>;

  /** What the application speaks. `http1` and `http2` are always used. `auto`: with TLS what it chooses (ALPN), and without HTTP/2 for gRPC alone. TLS edges offer callers `http/1.1`, `h2`, or for `auto` either. Default `auto`. */
  declare readonly protocol: pulumi.Output<"auto" | "http1" | "http2">;

  /** After how many seconds without a byte in either direction a request, a WebSocket or a connection is ended, 1 to 86,400. Default 300. */
  declare readonly idleTimeout: pulumi.Output<number>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link TunnelGroupBackendArgs} */
  constructor(name: string, args: TunnelGroupBackendArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "tunnel_group_backend", type: "TunnelGroupBackend", properties: ["description", "metadata", "labels", "protocol", "idleTimeout", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TunnelGroupBackend {
    return new TunnelGroupBackend(name, {} as TunnelGroupBackendArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.TunnelGroupBackend, …)`. */
  static override isInstance(resource: unknown): resource is TunnelGroupBackend {
    return isOfType(resource, "TunnelGroupBackend");
  }
}
