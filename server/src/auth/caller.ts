import type { Role } from "@tunnelplane/sdk/contract";

/** The user or bot that makes a request with one of its API keys. */
export interface Caller {
  readonly ownerId: string;
  /** The name of the user or bot. */
  readonly name: string;
  readonly role: Role;
  readonly keyId: string;
  /** The id of the project that the request is about; undefined for gateways, which serve all. */
  readonly project: string | undefined;
  /** When the key expires; null if it does not. */
  readonly expiresAt: string | null;
  /** The scopes of the key, which narrow the role; none are all. */
  readonly scopes: readonly string[];
  /** Whether the role is that of an admin. */
  readonly admin: boolean;
}
