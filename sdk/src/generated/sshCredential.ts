// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * A public key that may start tunnels through the SSH gateway. Its ACL limits what those tunnels may bind.
 *
 * As the API returns it.
 */
export interface SshCredential {
  /** Identifier, `sshcr_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** Who or what uses the credential. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The public key: an OpenSSH line, or PEM. RSA of 2048 to 16384 bits, ECDSA on a NIST curve, or Ed25519. Set at creation only; no two credentials share a key. */
  public_key: string;

  /** Rules for what the credential may bind: `bind:<domain>`, `bind:*.<domain>`, `bind:<host>:<port>`, `bind:<key>=<value>` (key and value may be `*`), or `*` for everything. Empty: no restrictions. */
  acl: string[];

  /** The user or bot that owns it. Default: the caller; only admins may name another. Set at creation only. */
  owner_id: string;

  /** When it ends (RFC 3339), in the future by the server's clock. From then on agents can bind nothing with it, and those that did are disconnected; it stays, with `expired` true. Default null: never. May be changed, also to null. */
  expires_at: string | null;

  /** Whether `expires_at` has passed, by the server's clock when it answers. */
  expired: boolean;
}

/** The body that creates an SSH credential. */
export interface SshCredentialCreate {
  /** Who or what uses the credential. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The public key: an OpenSSH line, or PEM. RSA of 2048 to 16384 bits, ECDSA on a NIST curve, or Ed25519. Set at creation only; no two credentials share a key. */
  public_key: string;

  /** Rules for what the credential may bind: `bind:<domain>`, `bind:*.<domain>`, `bind:<host>:<port>`, `bind:<key>=<value>` (key and value may be `*`), or `*` for everything. Empty: no restrictions. */
  acl?: string[];

  /** The user or bot that owns it. Default: the caller; only admins may name another. Set at creation only. */
  owner_id?: string;

  /** When it ends (RFC 3339), in the future by the server's clock. From then on agents can bind nothing with it, and those that did are disconnected; it stays, with `expired` true. Default null: never. May be changed, also to null. */
  expires_at?: string | null;
}

/** The body that updates an SSH credential; fields left out stay as they are. */
export type SshCredentialUpdate = Partial<Omit<SshCredentialCreate, "public_key" | "owner_id">>;
