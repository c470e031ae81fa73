// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of an IP policy rule. */
export interface IpPolicyRuleArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The network, with its mask and without host bits. Each network is unique in its policy. */
  cidr: pulumi.Input<string>;

  /** The policy that the rule belongs to. Set at creation only. */
  ipPolicyId: pulumi.Input<string>;

  /** Whether the network may connect. Set at creation only. */
  action: pulumi.Input<"allow" | "deny">;

  /** When it ends (RFC 3339), in the future by the server's clock. From then on the rule allows nothing; it stays, with `expired` true. Only rules that allow take one: what ends closes, and never opens. Default null: never. May be changed, also to null. */
  expiresAt?: pulumi.Input<string | null>;
}

/**
 * Allows or denies one network within an IP policy.
 *
 * @example
 * ```ts
 * const office = new tunnels.IpPolicy("office");
 * const berlin = new tunnels.IpPolicyRule("berlin", {
 *   ipPolicyId: office.id,
 *   cidr: "192.0.2.0/24",
 *   action: "allow",
 * });
 * ```
 */
export class IpPolicyRule extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The network, with its mask and without host bits. Each network is unique in its policy. */
  declare readonly cidr: pulumi.Output<string>;

  /** The policy that the rule belongs to. Set at creation only. */
  declare readonly ipPolicyId: pulumi.Output<string>;

  /** Whether the network may connect. Set at creation only. */
  declare readonly action: pulumi.Output<"allow" | "deny">;

  /** When it ends (RFC 3339), in the future by the server's clock. From then on the rule allows nothing; it stays, with `expired` true. Only rules that allow take one: what ends closes, and never opens. Default null: never. May be changed, also to null. */
  declare readonly expiresAt: pulumi.Output<string | undefined>;

  /** Whether `expires_at` has passed, by the server's clock when it answers. */
  declare readonly expired: pulumi.Output<boolean>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link IpPolicyRuleArgs} */
  constructor(name: string, args: IpPolicyRuleArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "ip_policy_rule", type: "IpPolicyRule", properties: ["description", "metadata", "cidr", "ipPolicyId", "action", "expiresAt", "expired", "uri", "createdAt"], secrets: [], unique: true }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): IpPolicyRule {
    return new IpPolicyRule(name, {} as IpPolicyRuleArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.IpPolicyRule, …)`. */
  static override isInstance(resource: unknown): resource is IpPolicyRule {
    return isOfType(resource, "IpPolicyRule");
  }
}
