// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of an IP restriction. */
export interface IpRestrictionArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** Whether it refuses anybody; if not, it is only counted. Default false. */
  enforced?: pulumi.Input<boolean>;

  /** The callers that it limits: `api` those of the API, `dashboard` those of the console, `agent` the agents that connect to gateways, `endpoints` the callers of every edge, besides the edge's own restriction. Set at creation only. */
  type: pulumi.Input<"api" | "dashboard" | "agent" | "endpoints">;

  /** The IP policies that an address is checked against; not empty while `enforced` is true. */
  ipPolicyIds: pulumi.Input<pulumi.Input<string>[]>;
}

/**
 * Says from which addresses the API, the console, gateways by their agents, or all edges of the account may be reached. Several of one type admit whom any of their policies admits.
 *
 * @example
 * ```ts
 * const api = new tunnels.IpRestriction("api", {
 *   type: "api",
 *   enforced: false,
 *   ipPolicyIds: [office.id],
 * });
 * ```
 */
export class IpRestriction extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** Whether it refuses anybody; if not, it is only counted. Default false. */
  declare readonly enforced: pulumi.Output<boolean>;

  /** The callers that it limits: `api` those of the API, `dashboard` those of the console, `agent` the agents that connect to gateways, `endpoints` the callers of every edge, besides the edge's own restriction. Set at creation only. */
  declare readonly type: pulumi.Output<"api" | "dashboard" | "agent" | "endpoints">;

  /** The IP policies that an address is checked against; not empty while `enforced` is true. */
  declare readonly ipPolicyIds: pulumi.Output<string[]>;

  /** The IP policies that an address is checked against; not empty while `enforced` is true. */
  declare readonly ipPolicies: pulumi.Output<{ id: string; uri: string }[]>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link IpRestrictionArgs} */
  constructor(name: string, args: IpRestrictionArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "ip_restriction", type: "IpRestriction", properties: ["description", "metadata", "enforced", "type", "ipPolicyIds", "ipPolicies", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): IpRestriction {
    return new IpRestriction(name, {} as IpRestrictionArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.IpRestriction, …)`. */
  static override isInstance(resource: unknown): resource is IpRestriction {
    return isOfType(resource, "IpRestriction");
  }
}
