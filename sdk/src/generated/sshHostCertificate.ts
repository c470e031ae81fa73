// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * A certificate with which a host proves its names to SSH clients that trust its authority. Users need not compare fingerprints then.
 *
 * As the API returns it.
 */
export interface SshHostCertificate {
  /** Identifier, `shcrt_` and 27 characters that sort by time. */
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

  /** The names and addresses by which clients reach the host; empty means any, which newer versions of OpenSSH refuse. At most 256. Set at creation only. */
  principals: string[];

  /** Start of the validity (RFC 3339, in whole seconds). Default: now. Set at creation only. */
  valid_after: string;

  /** End of the validity (RFC 3339, in whole seconds). Default: 24 hours after its creation, or after `valid_after` if that is later. Set at creation only. */
  valid_until: string;

  /** The type of `public_key`. */
  key_type: "rsa" | "ecdsa" | "ed25519";

  /** The signed certificate, as an OpenSSH line. */
  certificate: string;
}

/** The body that creates an SSH host certificate. */
export interface SshHostCertificateCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The SSH certificate authority that signs the certificate. Set at creation only. */
  ssh_certificate_authority_id: string;

  /** The public key to sign, as an OpenSSH line: RSA of 2048 to 16384 bits, ECDSA on a NIST curve, or Ed25519. Set at creation only. */
  public_key: string;

  /** The names and addresses by which clients reach the host; empty means any, which newer versions of OpenSSH refuse. At most 256. Set at creation only. */
  principals?: string[];

  /** Start of the validity (RFC 3339, in whole seconds). Default: now. Set at creation only. */
  valid_after?: string;

  /** End of the validity (RFC 3339, in whole seconds). Default: 24 hours after its creation, or after `valid_after` if that is later. Set at creation only. */
  valid_until?: string;
}

/** The body that updates an SSH host certificate; fields left out stay as they are. */
export type SshHostCertificateUpdate = Partial<Omit<SshHostCertificateCreate, "ssh_certificate_authority_id" | "public_key" | "principals" | "valid_after" | "valid_until">>;
