// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of a tunnel credential. */
export interface TunnelCredentialArgs {
  /** Who or what uses the credential. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** Rules for what the credential may bind: `bind:<domain>`, `bind:*.<domain>`, `bind:<host>:<port>`, `bind:<key>=<value>` (key and value may be `*`), or `*` for everything. Empty: no restrictions. */
  acl?: pulumi.Input<pulumi.Input<string>[]>;

  /** The user or bot that owns it. Default: the caller; only admins may name another. Set at creation only. */
  ownerId?: pulumi.Input<string>;

  /** When it ends (RFC 3339), in the future by the server's clock. From then on agents can bind nothing with it, and those that did are disconnected; it stays, with `expired` true. Default null: never. May be changed, also to null. */
  expiresAt?: pulumi.Input<string | null>;
}

/**
 * An authtoken with which an agent starts tunnel sessions. Its ACL limits what those sessions may bind.
 *
 * @example
 * ```ts
 * const agent = new tunnels.TunnelCredential("agent", {
 *   description: "build farm",
 *   acl: ["bind:*.build.example.com"],
 * });
 * export const authtoken = agent.token; // a secret output
 * ```
 */
export class TunnelCredential extends Resource {
  /** Who or what uses the credential. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** Rules for what the credential may bind: `bind:<domain>`, `bind:*.<domain>`, `bind:<host>:<port>`, `bind:<key>=<value>` (key and value may be `*`), or `*` for everything. Empty: no restrictions. */
  declare readonly acl: pulumi.Output<string[]>;

  /** The user or bot that owns it. Default: the caller; only admins may name another. Set at creation only. */
  declare readonly ownerId: pulumi.Output<string>;

  /** When it ends (RFC 3339), in the future by the server's clock. From then on agents can bind nothing with it, and those that did are disconnected; it stays, with `expired` true. Default null: never. May be changed, also to null. */
  declare readonly expiresAt: pulumi.Output<string | undefined>;

  /** The authtoken, a one-time secret: only the answer to its creation shows it, later answers say null. A Pulumi program keeps it, encrypted, in its state. Secret. */
  declare readonly token: pulumi.Output<string>;

  /** Whether `expires_at` has passed, by the server's clock when it answers. */
  declare readonly expired: pulumi.Output<boolean>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link TunnelCredentialArgs} */
  constructor(name: string, args: TunnelCredentialArgs = {}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "tunnel_credential", type: "TunnelCredential", properties: ["description", "metadata", "acl", "ownerId", "expiresAt", "token", "expired", "uri", "createdAt"], secrets: ["token"] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): TunnelCredential {
    return new TunnelCredential(name, {} as TunnelCredentialArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.TunnelCredential, …)`. */
  static override isInstance(resource: unknown): resource is TunnelCredential {
    return isOfType(resource, "TunnelCredential");
  }
}
