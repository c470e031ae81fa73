// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * An owner of API keys and credentials that is not a person, for example a pipeline or a service. Its role decides what its API keys may do.
 *
 * As the API returns it.
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

  /** Role of the bot. In the project in which the bot is made, a `member` sees and changes the objects that are for all and its own; a `viewer` sees all objects, with null for every secret, plans changes and makes none. In the whole account, an `admin` changes all objects; a `gateway` reads the objects that it enforces, reports what it serves, and changes nothing; `metrics` reads metrics alone. Default `member`. Set at creation only. */
  role: "member" | "viewer" | "admin" | "gateway" | "metrics";

  /** The gateway that a bot of role `gateway` is: its API keys report under this name alone. One bot has a name at a time. At most 255 letters, digits, dots, dashes and underscores, beginning with a letter or a digit. Default: the first name that it reports; null until then. */
  gateway_name: string | null;

  /** Whether its API keys are accepted. Default true. */
  active: boolean;
}

/** The body that creates a bot user. */
export interface BotUserCreate {
  /** Name of the bot. */
  name: string;

  /** Role of the bot. In the project in which the bot is made, a `member` sees and changes the objects that are for all and its own; a `viewer` sees all objects, with null for every secret, plans changes and makes none. In the whole account, an `admin` changes all objects; a `gateway` reads the objects that it enforces, reports what it serves, and changes nothing; `metrics` reads metrics alone. Default `member`. Set at creation only. */
  role?: "member" | "viewer" | "admin" | "gateway" | "metrics";

  /** The gateway that a bot of role `gateway` is: its API keys report under this name alone. One bot has a name at a time. At most 255 letters, digits, dots, dashes and underscores, beginning with a letter or a digit. Default: the first name that it reports; null until then. */
  gateway_name?: string | null;

  /** Whether its API keys are accepted. Default true. */
  active?: boolean;
}

/** The body that updates a bot user; fields left out stay as they are. */
export type BotUserUpdate = Partial<Omit<BotUserCreate, "role">>;
