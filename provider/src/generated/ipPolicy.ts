// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of an IP policy. */
export interface IpPolicyArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;
}

/**
 * A named set of rules that say which source addresses may connect. Its rules are objects of their own; deleting a policy deletes them.
 *
 * @example
 * ```ts
 * const office = new tunnels.IpPolicy("office", { description: "our offices" });
 * ```
 */
export class IpPolicy extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link IpPolicyArgs} */
  constructor(name: string, args: IpPolicyArgs = {}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "ip_policy", type: "IpPolicy", properties: ["description", "metadata", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): IpPolicy {
    return new IpPolicy(name, {} as IpPolicyArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.IpPolicy, …)`. */
  static override isInstance(resource: unknown): resource is IpPolicy {
    return isOfType(resource, "IpPolicy");
  }
}
