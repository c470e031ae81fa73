// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of a membership. */
export interface MembershipArgs {
  /** The project in which the role holds. Default null: the whole account, which only admins of the account may name. Set at creation only. */
  projectId?: pulumi.Input<string | null>;

  /** The role: `viewer`, `member` or `admin`; for the whole account also `gateway` and `metrics`. */
  role: pulumi.Input<"member" | "viewer" | "admin" | "gateway" | "metrics">;

  /** The user who gets it. Exactly one of `user_id`, `bot_user_id` and `group` is set. Set at creation only. */
  userId?: pulumi.Input<string | null>;

  /** The bot that gets it. Set at creation only. */
  botUserId?: pulumi.Input<string | null>;

  /** The group whose users get it, as the identity provider names it: who was in it at the last sign-in. Set at creation only. */
  group?: pulumi.Input<string | null>;

  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** When it ends (RFC 3339), in the future by the server's clock. From then on it gives no role; it stays, with `expired` true. Default null: never. May be changed, also to null. */
  expiresAt?: pulumi.Input<string | null>;
}

/**
 * Gives a user, a bot or a group of users a role in a project or in the whole account. Memberships add: the strongest role holds.
 *
 * @example
 * ```ts
 * const shop = new tunnels.Project("shop", { name: "web-shop" });
 * const ci = new tunnels.BotUser("ci", { name: "ci", role: "viewer" });
 * const deploys = new tunnels.Membership("deploys", {
 *   projectId: shop.id,
 *   role: "member",
 *   botUserId: ci.id,
 * });
 * ```
 */
export class Membership extends Resource {
  /** The project in which the role holds. Default null: the whole account, which only admins of the account may name. Set at creation only. */
  declare readonly projectId: pulumi.Output<string | undefined>;

  /** The role: `viewer`, `member` or `admin`; for the whole account also `gateway` and `metrics`. */
  declare readonly role: pulumi.Output<"member" | "viewer" | "admin" | "gateway" | "metrics">;

  /** The user who gets it. Exactly one of `user_id`, `bot_user_id` and `group` is set. Set at creation only. */
  declare readonly userId: pulumi.Output<string | undefined>;

  /** The bot that gets it. Set at creation only. */
  declare readonly botUserId: pulumi.Output<string | undefined>;

  /** The group whose users get it, as the identity provider names it: who was in it at the last sign-in. Set at creation only. */
  declare readonly group: pulumi.Output<string | undefined>;

  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** When it ends (RFC 3339), in the future by the server's clock. From then on it gives no role; it stays, with `expired` true. Default null: never. May be changed, also to null. */
  declare readonly expiresAt: pulumi.Output<string | undefined>;

  /** Whether `expires_at` has passed, by the server's clock when it answers. */
  declare readonly expired: pulumi.Output<boolean>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link MembershipArgs} */
  constructor(name: string, args: MembershipArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "membership", type: "Membership", properties: ["projectId", "role", "userId", "botUserId", "group", "description", "metadata", "expiresAt", "expired", "uri", "createdAt"], secrets: [], unique: true }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): Membership {
    return new Membership(name, {} as MembershipArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.Membership, …)`. */
  static override isInstance(resource: unknown): resource is Membership {
    return isOfType(resource, "Membership");
  }
}
