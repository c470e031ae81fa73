// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * A certificate with which the holder of a key logs in over SSH, for a limited time, wherever its authority is trusted.
 *
 * As the API returns it.
 */
export interface SshUserCertificate {
  /** Identifier, `sucrt_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The SSH certificate authority that signs the certificate. Set at creation only. */
  ssh_certificate_authority_id: string;

  /** The public key to sign, as an OpenSSH line: RSA of 2048 to 16384 bits, ECDSA on a NIST curve, or Ed25519. Set at creation only. */
  public_key: string;

  /** The user names with which the holder may log in; empty means any, which OpenSSH refuses. At most 256. Set at creation only. */
  principals: string[];

  /** Limits of the certificate: `"force-command"` (the only command that runs) and `"source-address"` (addresses and networks, with commas between). Set at creation only. */
  critical_options: Record<string, string>;

  /** Permissions of the certificate, each name with the value `""`: `permit-X11-forwarding`, `permit-agent-forwarding`, `permit-port-forwarding`, `permit-pty`, `permit-user-rc`, `no-touch-required`, or names of your own with `@<domain>`. Default: `permit-pty` and `permit-user-rc`. Set at creation only. */
  extensions: Record<string, string>;

  /** Start of the validity (RFC 3339, in whole seconds). Default: now. Set at creation only. */
  valid_after: string;

  /** End of the validity (RFC 3339, in whole seconds). Default: 24 hours after its creation, or after `valid_after` if that is later. Set at creation only. */
  valid_until: string;

  /** The type of `public_key`. */
  key_type: "rsa" | "ecdsa" | "ed25519";

  /** The signed certificate, as an OpenSSH line. */
  certificate: string;
}

/** The body that creates an SSH user certificate. */
export interface SshUserCertificateCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The SSH certificate authority that signs the certificate. Set at creation only. */
  ssh_certificate_authority_id: string;

  /** The public key to sign, as an OpenSSH line: RSA of 2048 to 16384 bits, ECDSA on a NIST curve, or Ed25519. Set at creation only. */
  public_key: string;

  /** The user names with which the holder may log in; empty means any, which OpenSSH refuses. At most 256. Set at creation only. */
  principals?: string[];

  /** Limits of the certificate: `"force-command"` (the only command that runs) and `"source-address"` (addresses and networks, with commas between). Set at creation only. */
  critical_options?: Record<string, string>;

  /** Permissions of the certificate, each name with the value `""`: `permit-X11-forwarding`, `permit-agent-forwarding`, `permit-port-forwarding`, `permit-pty`, `permit-user-rc`, `no-touch-required`, or names of your own with `@<domain>`. Default: `permit-pty` and `permit-user-rc`. Set at creation only. */
  extensions?: Record<string, string>;

  /** Start of the validity (RFC 3339, in whole seconds). Default: now. Set at creation only. */
  valid_after?: string;

  /** End of the validity (RFC 3339, in whole seconds). Default: 24 hours after its creation, or after `valid_after` if that is later. Set at creation only. */
  valid_until?: string;
}

/** The body that updates an SSH user certificate; fields left out stay as they are. */
export type SshUserCertificateUpdate = Partial<Omit<SshUserCertificateCreate, "ssh_certificate_authority_id" | "public_key" | "principals" | "critical_options" | "extensions" | "valid_after" | "valid_until">>;
