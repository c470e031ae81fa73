// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of an API key. */
export interface ApiKeyArgs {
  /** Who or what uses the key. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The user or bot that owns it. Default: the caller; only admins may name another. Set at creation only. */
  ownerId?: pulumi.Input<string>;

  /** When the key expires (RFC 3339): in the future by the server's clock, and no later than the key that creates it. Default: the same as that key, or never. Set at creation only. */
  expiresAt?: pulumi.Input<string>;

  /** The project for which the key is; null: all in which its owner has a role. Default: that of the key that creates it. Set at creation only. */
  projectId?: pulumi.Input<string | null>;

  /** What the key may do of what its owner's role allows: `read`, `plan` (dry runs; holds `read`), `write` (holds `plan`), and `KIND:read` and `KIND:write` for objects of one kind, such as `tls_edge:write`. Empty: all. Default: the scopes of the key that creates it, which creates none with more. Updates only take scopes away. */
  scopes?: pulumi.Input<pulumi.Input<string>[]>;
}

/**
 * A key with which its owner calls this API. Deleting it revokes it at once, on other servers of the same database within a second.
 *
 * @example
 * ```ts
 * const ci = new tunnels.BotUser("ci", { name: "ci" });
 * const key = new tunnels.ApiKey("ci", { ownerId: ci.id });
 * export const apiKey = key.token; // a secret output
 * ```
 */
export class ApiKey extends Resource {
  /** Who or what uses the key. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The user or bot that owns it. Default: the caller; only admins may name another. Set at creation only. */
  declare readonly ownerId: pulumi.Output<string>;

  /** When the key expires (RFC 3339): in the future by the server's clock, and no later than the key that creates it. Default: the same as that key, or never. Set at creation only. */
  declare readonly expiresAt: pulumi.Output<string | undefined>;

  /** The project for which the key is; null: all in which its owner has a role. Default: that of the key that creates it. Set at creation only. */
  declare readonly projectId: pulumi.Output<string | undefined>;

  /** What the key may do of what its owner's role allows: `read`, `plan` (dry runs; holds `read`), `write` (holds `plan`), and `KIND:read` and `KIND:write` for objects of one kind, such as `tls_edge:write`. Empty: all. Default: the scopes of the key that creates it, which creates none with more. Updates only take scopes away. */
  declare readonly scopes: pulumi.Output<string[]>;

  /** The key itself, a one-time secret: only the answer to its creation shows it, later answers say null. A Pulumi program keeps it, encrypted, in its state. Secret. */
  declare readonly token: pulumi.Output<string>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link ApiKeyArgs} */
  constructor(name: string, args: ApiKeyArgs = {}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "api_key", type: "ApiKey", properties: ["description", "metadata", "ownerId", "expiresAt", "projectId", "scopes", "token", "uri", "createdAt"], secrets: ["token"] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): ApiKey {
    return new ApiKey(name, {} as ApiKeyArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.ApiKey, …)`. */
  static override isInstance(resource: unknown): resource is ApiKey {
    return isOfType(resource, "ApiKey");
  }
}
