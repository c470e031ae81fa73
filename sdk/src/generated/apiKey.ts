// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * A key with which its owner calls this API. Deleting it revokes it at once, on other servers of the same database within a second.
 *
 * As the API returns it.
 */
export interface ApiKey {
  /** Identifier, `ak_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** Who or what uses the key. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** The user or bot that owns it. Default: the caller; only admins may name another. Set at creation only. */
  owner_id: string;

  /** When the key expires (RFC 3339): in the future by the server's clock, and no later than the key that creates it. Default: the same as that key, or never. Set at creation only. */
  expires_at: string | null;

  /** The project for which the key is; null: all in which its owner has a role. Default: that of the key that creates it. Set at creation only. */
  project_id: string | null;

  /** What the key may do of what its owner's role allows: `read`, `plan` (dry runs; holds `read`), `write` (holds `plan`), and `KIND:read` and `KIND:write` for objects of one kind, such as `tls_edge:write`. Empty: all. Default: the scopes of the key that creates it, which creates none with more. Updates only take scopes away. */
  scopes: string[];

  /** The hour in which the key was last used (RFC 3339, its beginning); null if it was not. A server writes it once a minute, so one that is killed forgets the last one. Programs have no such output, since it changes by itself. */
  last_used_at: string | null;

  /** The key itself, a one-time secret: only the answer to its creation shows it, later answers say null. A Pulumi program keeps it, encrypted, in its state. Secret. */
  token: string | null;
}

/** The body that creates an API key. */
export interface ApiKeyCreate {
  /** Who or what uses the key. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** The user or bot that owns it. Default: the caller; only admins may name another. Set at creation only. */
  owner_id?: string;

  /** When the key expires (RFC 3339): in the future by the server's clock, and no later than the key that creates it. Default: the same as that key, or never. Set at creation only. */
  expires_at?: string;

  /** The project for which the key is; null: all in which its owner has a role. Default: that of the key that creates it. Set at creation only. */
  project_id?: string | null;

  /** What the key may do of what its owner's role allows: `read`, `plan` (dry runs; holds `read`), `write` (holds `plan`), and `KIND:read` and `KIND:write` for objects of one kind, such as `tls_edge:write`. Empty: all. Default: the scopes of the key that creates it, which creates none with more. Updates only take scopes away. */
  scopes?: string[];
}

/** The body that updates an API key; fields left out stay as they are. */
export type ApiKeyUpdate = Partial<Omit<ApiKeyCreate, "owner_id" | "expires_at" | "project_id">>;
