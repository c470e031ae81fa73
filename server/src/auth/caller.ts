import type { Role } from "@tunnelplane/sdk/contract";

/** Who makes a request: a user or a bot, by one of its API keys. */
export interface Caller {
  readonly ownerId: string;
  /** What the user or bot is called. */
  readonly name: string;
  readonly role: Role;
  readonly keyId: string;
  /** Until when the key is accepted; null until it is deleted. */
  readonly expiresAt: string | null;
  /** Whether the role is that of an admin. */
  readonly admin: boolean;
}
