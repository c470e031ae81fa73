// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * An owner of keys and credentials that is no person, for example a pipeline or a service. Its role decides what its API keys may do.
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

  /** Name of the bot. */
  name: string;

  /** Role of the bot: a `member` sees and changes what belongs to the account and what it owns itself, an `admin` everything; a `gateway` reads what it has to enforce and reports what it serves, and changes nothing. Default `member`. Set at creation only. */
  role: "member" | "admin" | "gateway";

  /** Whether its API keys are accepted. Default true. */
  active: boolean;
}

/** The body that creates a bot user. */
export interface BotUserCreate {
  /** Name of the bot. */
  name: string;

  /** Role of the bot: a `member` sees and changes what belongs to the account and what it owns itself, an `admin` everything; a `gateway` reads what it has to enforce and reports what it serves, and changes nothing. Default `member`. Set at creation only. */
  role?: "member" | "admin" | "gateway";

  /** Whether its API keys are accepted. Default true. */
  active?: boolean;
}

/** The body that updates a bot user; fields left out stay as they are. */
export type BotUserUpdate = Partial<Omit<BotUserCreate, "role">>;
