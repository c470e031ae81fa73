// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * An owner of keys and credentials that is no person: a pipeline, a service. It is a member, never an admin.
 *
 * As the API answers it.
 */
export interface BotUser {
  /** Identifier, `bot_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** What it is called. */
  name: string;

  /** Whether its API keys are accepted. Default true. */
  active: boolean;
}

/** What a new bot user is made from. */
export interface BotUserCreate {
  /** What it is called. */
  name: string;

  /** Whether its API keys are accepted. Default true. */
  active?: boolean;
}

/** What of a bot user can be changed; what is left out stays as it is. */
export type BotUserUpdate = Partial<BotUserCreate>;
