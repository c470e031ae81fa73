// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of an SSH host certificate. */
export interface SshHostCertificateArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The SSH certificate authority that signs the certificate. Set at creation only. */
  sshCertificateAuthorityId: pulumi.Input<string>;

  /** The public key to sign, as an OpenSSH line: RSA of 2048 to 16384 bits, ECDSA on a NIST curve, or Ed25519. Set at creation only. */
  publicKey: pulumi.Input<string>;

  /** The names and addresses by which clients reach the host; empty means any, which newer versions of OpenSSH refuse. At most 256. Set at creation only. */
  principals?: pulumi.Input<pulumi.Input<string>[]>;

  /** Start of the validity (RFC 3339, in whole seconds). Default: now. Set at creation only. */
  validAfter?: pulumi.Input<string>;

  /** End of the validity (RFC 3339, in whole seconds). Default: 24 hours after its creation, or after `valid_after` if that is later. Set at creation only. */
  validUntil?: pulumi.Input<string>;

  /** Length of the validity, for example "8h", "30d" or "1d12h", instead of a fixed `validUntil`. Default: 24 hours. A change replaces it. */
  validFor?: pulumi.Input<string>;

  /** When less time than this is left, for example "8h", the next run of the program replaces it. Must be shorter than the validity. Default: never. */
  renewBefore?: pulumi.Input<string>;
}

/**
 * A certificate with which a host proves its names to SSH clients that trust its authority. Users need not compare fingerprints then.
 *
 * @example
 * ```ts
 * const hosts = new tunnels.SshCertificateAuthority("hosts");
 * const bastion = new tunnels.SshHostCertificate("bastion", {
 *   sshCertificateAuthorityId: hosts.id,
 *   publicKey: readFileSync("ssh_host_ed25519_key.pub", "utf8"),
 *   principals: ["bastion.example.com"],
 *   validFor: "90d",
 *   renewBefore: "30d",
 * });
 * ```
 */
export class SshHostCertificate extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The SSH certificate authority that signs the certificate. Set at creation only. */
  declare readonly sshCertificateAuthorityId: pulumi.Output<string>;

  /** The public key to sign, as an OpenSSH line: RSA of 2048 to 16384 bits, ECDSA on a NIST curve, or Ed25519. Set at creation only. */
  declare readonly publicKey: pulumi.Output<string>;

  /** The names and addresses by which clients reach the host; empty means any, which newer versions of OpenSSH refuse. At most 256. Set at creation only. */
  declare readonly principals: pulumi.Output<string[]>;

  /** Start of the validity (RFC 3339, in whole seconds). Default: now. Set at creation only. */
  declare readonly validAfter: pulumi.Output<string>;

  /** End of the validity (RFC 3339, in whole seconds). Default: 24 hours after its creation, or after `valid_after` if that is later. Set at creation only. */
  declare readonly validUntil: pulumi.Output<string>;

  /** Length of the validity, for example "8h", "30d" or "1d12h", instead of a fixed `validUntil`. Default: 24 hours. A change replaces it. */
  declare readonly validFor: pulumi.Output<string | undefined>;

  /** When less time than this is left, for example "8h", the next run of the program replaces it. Must be shorter than the validity. Default: never. */
  declare readonly renewBefore: pulumi.Output<string | undefined>;

  /** The type of `public_key`. */
  declare readonly keyType: pulumi.Output<"rsa" | "ecdsa" | "ed25519">;

  /** The signed certificate, as an OpenSSH line. */
  declare readonly certificate: pulumi.Output<string>;

  /** Address of this object. */
  declare readonly uri: pulumi.Output<string>;

  /** When it was created (RFC 3339). */
  declare readonly createdAt: pulumi.Output<string>;

  /** @param args the declared properties; see {@link SshHostCertificateArgs} */
  constructor(name: string, args: SshHostCertificateArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "ssh_host_certificate", type: "SshHostCertificate", properties: ["description", "metadata", "sshCertificateAuthorityId", "publicKey", "principals", "validAfter", "validUntil", "validFor", "renewBefore", "keyType", "certificate", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): SshHostCertificate {
    return new SshHostCertificate(name, {} as SshHostCertificateArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.SshHostCertificate, …)`. */
  static override isInstance(resource: unknown): resource is SshHostCertificate {
    return isOfType(resource, "SshHostCertificate");
  }
}
