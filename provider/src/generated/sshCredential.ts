// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of an SSH credential. */
export interface SshCredentialArgs {
  /** Who or what uses the credential. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The public key: an OpenSSH line, or PEM. RSA of 2048 to 16384 bits, ECDSA on a NIST curve, or Ed25519. Set at creation only; no two credentials share a key. */
  publicKey: pulumi.Input<string>;

  /** Rules for what the credential may bind: `bind:<domain>`, `bind:*.<domain>`, `bind:<host>:<port>`, `bind:<key>=<value>` (key and value may be `*`), or `*` for everything. Empty: no restrictions. */
  acl?: pulumi.Input<pulumi.Input<string>[]>;

  /** The user or bot that owns it. Default: the caller; only admins may name another. Set at creation only. */
  ownerId?: pulumi.Input<string>;

  /** When it ends (RFC 3339), in the future by the server's clock. From then on agents can bind nothing with it, and those that did are disconnected; it stays, with `expired` true. Default null: never. May be changed, also to null. */
  expiresAt?: pulumi.Input<string | null>;
}

/**
 * A public key that may start tunnels through the SSH gateway. Its ACL limits what those tunnels may bind.
 *
 * @example
 * ```ts
 * const laptop = new tunnels.SshCredential("laptop", {
 *   publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMkNYQWiQPNhl0hNGkgAazcHXyNW+jYlTu7YdBlCiWxn ada",
 *   acl: ["bind:ada.example.com"],
 * });
 * ```
 */
export class SshCredential extends Resource {
  /** Who or what uses the credential. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The public key: an OpenSSH line, or PEM. RSA of 2048 to 16384 bits, ECDSA on a NIST curve, or Ed25519. Set at creation only; no two credentials share a key. */
  declare readonly publicKey: pulumi.Output<string>;

  /** Rules for what the credential may bind: `bind:<domain>`, `bind:*.<domain>`, `bind:<host>:<port>`, `bind:<key>=<value>` (key and value may be `*`), or `*` for everything. Empty: no restrictions. */
  declare readonly acl: pulumi.Output<string[]>;

  /** The user or bot that owns it. Default: the caller; only admins may name another. Set at creation only. */
  declare readonly ownerId: pulumi.Output<string>;

  /** When it ends (RFC 3339), in the future by the server's clock. From then on agents can bind nothing with it, and those that did are disconnected; it stays, with `expired` true. Default null: never. May be changed, also to null. */
  declare readonly expiresAt: pulumi.Output<string | undefined>;

  /** Whether `expires_at` has passed, by the server's clock when it answers. */
  declare readonly expired: pulumi.Output<boolean>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link SshCredentialArgs} */
  constructor(name: string, args: SshCredentialArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "ssh_credential", type: "SshCredential", properties: ["description", "metadata", "publicKey", "acl", "ownerId", "expiresAt", "expired", "uri", "createdAt"], secrets: [], unique: true }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): SshCredential {
    return new SshCredential(name, {} as SshCredentialArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.SshCredential, …)`. */
  static override isInstance(resource: unknown): resource is SshCredential {
    return isOfType(resource, "SshCredential");
  }
}
