// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * Lets jobs of a pipeline work as a bot without an API key: `POST /token` exchanges an identity token of theirs, which its issuer signed, for an API key that soon ends. Changing or deleting the identity ends the keys that came of it.
 *
 * As the API returns it.
 */
export interface WorkloadIdentity {
  /** Identifier, `wid_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** Whose jobs these are. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** Who signs the tokens: the claim `iss`, exactly as tokens have it. The server reads its keys from the address that its discovery document names (OpenID Connect Discovery or RFC 8414). Plain http, and addresses that are not on the internet, need a server with `--allow-private-targets`. */
  issuer: string;

  /** The audiences that tokens are made for: the claim `aud` must name one of them, with or without a `/` at the end. Empty: the server's `--public-url`, which is what providers and the command line ask GitHub for. */
  audiences: string[];

  /** Claims that a token must have, each with a text that it must match as a whole, in its case; `*` stands for any text. Of a list, one element must match; numbers, true and false match as JSON prints them. A dot leads into an object (`realm_access.roles`, `kubernetes.io.namespace`), `\.` is a dot of a name, and a name with `:` or `/` is one name (`https://example.com/roles`). At least one must say who has the token (not `iss`, `aud`, `exp`, `nbf`, `iat`, `jti` or `typ`, nor by `true` or `false`), and be a whole text, or begin with a whole name before its first `*`, after a scheme or label: `repo:acme/*`. At most 16 claims. */
  claims: Record<string, string>;

  /** The bot that jobs work as. Its role decides what they may do. */
  bot_user_id: string;

  /** What the keys may do of what the bot's role allows, as with `scopes` of API keys: `read`, `plan`, `write`, `KIND:read`, `KIND:write`. Empty: all. Default: the scopes of the API key that creates the identity, which creates and changes none with more. */
  scopes: string[];

  /** How long an API key lasts that a token is exchanged for, in seconds: 60 to 3600. Default 900. A longer run exchanges again. */
  ttl: number;
}

/** The body that creates a workload identity. */
export interface WorkloadIdentityCreate {
  /** Whose jobs these are. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** Who signs the tokens: the claim `iss`, exactly as tokens have it. The server reads its keys from the address that its discovery document names (OpenID Connect Discovery or RFC 8414). Plain http, and addresses that are not on the internet, need a server with `--allow-private-targets`. */
  issuer: string;

  /** The audiences that tokens are made for: the claim `aud` must name one of them, with or without a `/` at the end. Empty: the server's `--public-url`, which is what providers and the command line ask GitHub for. */
  audiences: string[];

  /** Claims that a token must have, each with a text that it must match as a whole, in its case; `*` stands for any text. Of a list, one element must match; numbers, true and false match as JSON prints them. A dot leads into an object (`realm_access.roles`, `kubernetes.io.namespace`), `\.` is a dot of a name, and a name with `:` or `/` is one name (`https://example.com/roles`). At least one must say who has the token (not `iss`, `aud`, `exp`, `nbf`, `iat`, `jti` or `typ`, nor by `true` or `false`), and be a whole text, or begin with a whole name before its first `*`, after a scheme or label: `repo:acme/*`. At most 16 claims. */
  claims: Record<string, string>;

  /** The bot that jobs work as. Its role decides what they may do. */
  bot_user_id: string;

  /** What the keys may do of what the bot's role allows, as with `scopes` of API keys: `read`, `plan`, `write`, `KIND:read`, `KIND:write`. Empty: all. Default: the scopes of the API key that creates the identity, which creates and changes none with more. */
  scopes?: string[];

  /** How long an API key lasts that a token is exchanged for, in seconds: 60 to 3600. Default 900. A longer run exchanges again. */
  ttl?: number;
}

/** The body that updates a workload identity; fields left out stay as they are. */
export type WorkloadIdentityUpdate = Partial<WorkloadIdentityCreate>;
