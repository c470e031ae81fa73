// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * A key pair that signs SSH certificates for users and hosts. The server generates it; the private key never leaves the server.
 *
 * As the API returns it.
 */
export interface SshCertificateAuthority {
  /** Identifier, `sshca_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The type of its key. Set at creation only. */
  private_key_type: "ed25519" | "ecdsa" | "rsa";

  /** The NIST curve of an ecdsa key. Default for ecdsa keys: `"256"`. Set at creation only. */
  elliptic_curve: "256" | "384" | "521" | null;

  /** The bits of an rsa key. Default for rsa keys: 2048. Set at creation only. */
  key_size: 2048 | 4096 | null;

  /** The public key as an OpenSSH line: for sshd's `TrustedUserCAKeys`, or after `@cert-authority` in known_hosts. */
  public_key: string;

  /** The type of `public_key`. */
  key_type: "rsa" | "ecdsa" | "ed25519";
}

/** The body that creates an SSH certificate authority. */
export interface SshCertificateAuthorityCreate {
  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The type of its key. Set at creation only. Default `"ed25519"`. */
  private_key_type?: "ed25519" | "ecdsa" | "rsa";

  /** The NIST curve of an ecdsa key. Default for ecdsa keys: `"256"`. Set at creation only. */
  elliptic_curve?: "256" | "384" | "521";

  /** The bits of an rsa key. Default for rsa keys: 2048. Set at creation only. */
  key_size?: 2048 | 4096;
}

/** The body that updates an SSH certificate authority; fields left out stay as they are. */
export type SshCertificateAuthorityUpdate = Partial<Omit<SshCertificateAuthorityCreate, "private_key_type" | "elliptic_curve" | "key_size">>;
