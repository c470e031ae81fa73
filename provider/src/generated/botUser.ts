// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { Resource } from "../host/resource";

/** What a bot user is declared with. */
export interface BotUserArgs {
  /** What it is called. */
  name: pulumi.Input<string>;

  /** What its API keys may do: those of a `member` see and change what belongs to the account and what the bot itself owns, those of an `admin` everything. Default `member`. Set at creation only. */
  role?: pulumi.Input<"member" | "admin">;

  /** Whether its API keys are accepted. Default true. */
  active?: pulumi.Input<boolean>;
}

/**
 * An owner of keys and credentials that is no person: a pipeline, a service. Its API keys may do what its role may.
 *
 * @example
 * ```ts
 * const ci = new tunnels.BotUser("ci", { name: "ci" });
 * const credential = new tunnels.TunnelCredential("ci", { ownerId: ci.id });
 * ```
 */
export class BotUser extends Resource {
  /** What it is called. */
  declare readonly name: pulumi.Output<string>;

  /** What its API keys may do: those of a `member` see and change what belongs to the account and what the bot itself owns, those of an `admin` everything. Default `member`. Set at creation only. */
  declare readonly role: pulumi.Output<"member" | "admin">;

  /** Whether its API keys are accepted. Default true. */
  declare readonly active: pulumi.Output<boolean>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args what is declared; see {@link BotUserArgs} */
  constructor(name: string, args: BotUserArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "bot_user", type: "BotUser", properties: ["name", "role", "active", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): BotUser {
    return new BotUser(name, {} as BotUserArgs, { ...options, id });
  }
}
