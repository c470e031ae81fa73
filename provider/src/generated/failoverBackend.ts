// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of a failover backend. */
export interface FailoverBackendArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The backends in order of preference. */
  backends?: pulumi.Input<pulumi.Input<string>[]>;
}

/**
 * Sends traffic to the first of its backends that can take it.
 *
 * @example
 * ```ts
 * const web = new tunnels.TunnelGroupBackend("web", { labels: { service: "web" } });
 * const sorry = new tunnels.HttpResponseBackend("sorry", { statusCode: 503, body: "back soon" });
 * const site = new tunnels.FailoverBackend("site", { backends: [web.id, sorry.id] });
 * ```
 */
export class FailoverBackend extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The backends in order of preference. */
  declare readonly backends: pulumi.Output<string[]>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link FailoverBackendArgs} */
  constructor(name: string, args: FailoverBackendArgs = {}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "failover_backend", type: "FailoverBackend", properties: ["description", "metadata", "backends", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): FailoverBackend {
    return new FailoverBackend(name, {} as FailoverBackendArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.FailoverBackend, …)`. */
  static override isInstance(resource: unknown): resource is FailoverBackend {
    return isOfType(resource, "FailoverBackend");
  }
}
