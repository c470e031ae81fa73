// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of a bot user. */
export interface BotUserArgs {
  /** Name of the bot. */
  name: pulumi.Input<string>;

  /** Role of the bot. In the project in which the bot is made, a `member` sees and changes the objects that are for all and its own; a `viewer` sees all objects, with null for every secret, plans changes and makes none. In the whole account, an `admin` changes all objects; a `gateway` reads the objects that it enforces, reports what it serves, and changes nothing; `metrics` reads metrics alone. Default `member`. Set at creation only. */
  role?: pulumi.Input<"member" | "viewer" | "admin" | "gateway" | "metrics">;

  /** The gateway that a bot of role `gateway` is: its API keys report under this name alone. One bot has a name at a time. At most 255 letters, digits, dots, dashes and underscores, beginning with a letter or a digit. Default: the first name that it reports; null until then. */
  gatewayName?: pulumi.Input<string | null>;

  /** Whether its API keys are accepted. Default true. */
  active?: pulumi.Input<boolean>;
}

/**
 * An owner of API keys and credentials that is not a person, for example a pipeline or a service. Its role decides what its API keys may do.
 *
 * @example
 * ```ts
 * const ci = new tunnels.BotUser("ci", { name: "ci" });
 * const credential = new tunnels.TunnelCredential("ci", { ownerId: ci.id });
 * ```
 */
export class BotUser extends Resource {
  /** Name of the bot. */
  declare readonly name: pulumi.Output<string>;

  /** Role of the bot. In the project in which the bot is made, a `member` sees and changes the objects that are for all and its own; a `viewer` sees all objects, with null for every secret, plans changes and makes none. In the whole account, an `admin` changes all objects; a `gateway` reads the objects that it enforces, reports what it serves, and changes nothing; `metrics` reads metrics alone. Default `member`. Set at creation only. */
  declare readonly role: pulumi.Output<"member" | "viewer" | "admin" | "gateway" | "metrics">;

  /** The gateway that a bot of role `gateway` is: its API keys report under this name alone. One bot has a name at a time. At most 255 letters, digits, dots, dashes and underscores, beginning with a letter or a digit. Default: the first name that it reports; null until then. */
  declare readonly gatewayName: pulumi.Output<string | undefined>;

  /** Whether its API keys are accepted. Default true. */
  declare readonly active: pulumi.Output<boolean>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link BotUserArgs} */
  constructor(name: string, args: BotUserArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "bot_user", type: "BotUser", properties: ["name", "role", "gatewayName", "active", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): BotUser {
    return new BotUser(name, {} as BotUserArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.BotUser, …)`. */
  static override isInstance(resource: unknown): resource is BotUser {
    return isOfType(resource, "BotUser");
  }
}
