// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of an SSH certificate authority. */
export interface SshCertificateAuthorityArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The type of its key. Set at creation only. Default `"ed25519"`. */
  privateKeyType?: pulumi.Input<"ed25519" | "ecdsa" | "rsa">;

  /** The NIST curve of an ecdsa key. Default for ecdsa keys: `"256"`. Set at creation only. */
  ellipticCurve?: pulumi.Input<"256" | "384" | "521">;

  /** The bits of an rsa key. Default for rsa keys: 2048. Set at creation only. */
  keySize?: pulumi.Input<2048 | 4096>;
}

/**
 * A key pair that signs SSH certificates for users and hosts. The server generates it; the private key never leaves the server.
 *
 * @example
 * ```ts
 * const people = new tunnels.SshCertificateAuthority("people", {
 *   description: "signs who may log in",
 * });
 * export const trustedUserCaKeys = people.publicKey; // for sshd_config
 * ```
 */
export class SshCertificateAuthority extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The type of its key. Set at creation only. Default `"ed25519"`. */
  declare readonly privateKeyType: pulumi.Output<"ed25519" | "ecdsa" | "rsa">;

  /** The NIST curve of an ecdsa key. Default for ecdsa keys: `"256"`. Set at creation only. */
  declare readonly ellipticCurve: pulumi.Output<"256" | "384" | "521" | undefined>;

  /** The bits of an rsa key. Default for rsa keys: 2048. Set at creation only. */
  declare readonly keySize: pulumi.Output<2048 | 4096 | undefined>;

  /** The public key as an OpenSSH line: for sshd's `TrustedUserCAKeys`, or after `@cert-authority` in known_hosts. */
  declare readonly publicKey: pulumi.Output<string>;

  /** The type of `public_key`. */
  declare readonly keyType: pulumi.Output<"rsa" | "ecdsa" | "ed25519">;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link SshCertificateAuthorityArgs} */
  constructor(name: string, args: SshCertificateAuthorityArgs = {}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "ssh_certificate_authority", type: "SshCertificateAuthority", properties: ["description", "metadata", "privateKeyType", "ellipticCurve", "keySize", "publicKey", "keyType", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): SshCertificateAuthority {
    return new SshCertificateAuthority(name, {} as SshCertificateAuthorityArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.SshCertificateAuthority, …)`. */
  static override isInstance(resource: unknown): resource is SshCertificateAuthority {
    return isOfType(resource, "SshCertificateAuthority");
  }
}
