// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

/** The arguments of an SSH user certificate. */
export interface SshUserCertificateArgs {
  /** A description for people. At most 255 bytes. */
  description?: pulumi.Input<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: pulumi.Input<string>;

  /** The SSH certificate authority that signs the certificate. Set at creation only. */
  sshCertificateAuthorityId: pulumi.Input<string>;

  /** The public key to sign, as an OpenSSH line: RSA of 2048 to 16384 bits, ECDSA on a NIST curve, or Ed25519. Set at creation only. */
  publicKey: pulumi.Input<string>;

  /** The user names with which the holder may log in; empty means any, which OpenSSH refuses. At most 256. Set at creation only. */
  principals?: pulumi.Input<pulumi.Input<string>[]>;

  /** Limits of the certificate: `"force-command"` (the only command that runs) and `"source-address"` (addresses and networks, with commas between). Set at creation only. */
  criticalOptions?: pulumi.Input<Record<string, pulumi.Input<string>>>;

  /** Permissions of the certificate, each name with the value `""`: `permit-X11-forwarding`, `permit-agent-forwarding`, `permit-port-forwarding`, `permit-pty`, `permit-user-rc`, `no-touch-required`, or names of your own with `@<domain>`. Default: `permit-pty` and `permit-user-rc`. Set at creation only. */
  extensions?: pulumi.Input<Record<string, pulumi.Input<string>>>;

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
 * A certificate with which the holder of a key logs in over SSH, for a limited time, wherever its authority is trusted.
 *
 * @example
 * ```ts
 * const people = new tunnels.SshCertificateAuthority("people");
 * const ada = new tunnels.SshUserCertificate("ada", {
 *   sshCertificateAuthorityId: people.id,
 *   publicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMkNYQWiQPNhl0hNGkgAazcHXyNW+jYlTu7YdBlCiWxn ada",
 *   principals: ["ada"],
 *   validFor: "7d",
 *   renewBefore: "2d", // a run in the last two days creates a new one
 * });
 * ```
 */
export class SshUserCertificate extends Resource {
  /** A description for people. At most 255 bytes. */
  declare readonly description: pulumi.Output<string>;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  declare readonly metadata: pulumi.Output<string>;

  /** The SSH certificate authority that signs the certificate. Set at creation only. */
  declare readonly sshCertificateAuthorityId: pulumi.Output<string>;

  /** The public key to sign, as an OpenSSH line: RSA of 2048 to 16384 bits, ECDSA on a NIST curve, or Ed25519. Set at creation only. */
  declare readonly publicKey: pulumi.Output<string>;

  /** The user names with which the holder may log in; empty means any, which OpenSSH refuses. At most 256. Set at creation only. */
  declare readonly principals: pulumi.Output<string[]>;

  /** Limits of the certificate: `"force-command"` (the only command that runs) and `"source-address"` (addresses and networks, with commas between). Set at creation only. */
  declare readonly criticalOptions: pulumi.Output<Record<string, string>>;

  /** Permissions of the certificate, each name with the value `""`: `permit-X11-forwarding`, `permit-agent-forwarding`, `permit-port-forwarding`, `permit-pty`, `permit-user-rc`, `no-touch-required`, or names of your own with `@<domain>`. Default: `permit-pty` and `permit-user-rc`. Set at creation only. */
  declare readonly extensions: pulumi.Output<Record<string, string>>;

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

  /** @param args the declared properties; see {@link SshUserCertificateArgs} */
  constructor(name: string, args: SshUserCertificateArgs, options?: pulumi.CustomResourceOptions) {
    super({ kind: "ssh_user_certificate", type: "SshUserCertificate", properties: ["description", "metadata", "sshCertificateAuthorityId", "publicKey", "principals", "criticalOptions", "extensions", "validAfter", "validUntil", "validFor", "renewBefore", "keyType", "certificate", "uri", "createdAt"], secrets: [] }, name, args, options);
  }

  /** Reads an existing object by its id, without managing it. */
  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): SshUserCertificate {
    return new SshUserCertificate(name, {} as SshUserCertificateArgs, { ...options, id });
  }

  /** Whether something is such a resource, of this package or of the native provider. Policies ask by type: `validateResourceOfType(tunnels.SshUserCertificate, …)`. */
  static override isInstance(resource: unknown): resource is SshUserCertificate {
    return isOfType(resource, "SshUserCertificate");
  }
}
