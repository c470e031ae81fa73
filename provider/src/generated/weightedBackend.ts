// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of a weighted backend. */
export interface WeightedBackendArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The id of each backend and its weight, 0 to 10000. */
  backends?: pulumi.Input<Record<string, pulumi.Input<number>>>;
}

/**
 * Spreads traffic over its backends in proportion to their weights.
 *
 * @example
 * ```ts
 * const blue = new tunnels.TunnelGroupBackend("blue", { labels: { color: "blue" } });
 * const green = new tunnels.TunnelGroupBackend("green", { labels: { color: "green" } });
 * const both = new tunnels.WeightedBackend("both", {
 *   backends: pulumi.all([blue.id, green.id]).apply(([b, g]) => ({ [b]: 95, [g]: 5 })),
 * });
 * ```
 */
export class WeightedBackend extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The id of each backend and its weight, 0 to 10000. */
  declare readonly backends: pulumi.Output<Record<string, number>>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link WeightedBackendArgs} */
  constructor(name: string, args: WeightedBackendArgs = {}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "weighted_backend", type: "WeightedBackend", properties: ["description", "metadata", "backends", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): WeightedBackend {
    return new WeightedBackend(name, {} as WeightedBackendArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.WeightedBackend, …)`. */
  static override isInstance(resource: unknown): resource is WeightedBackend {
    return isOfType(resource, "WeightedBackend");
  }
}
