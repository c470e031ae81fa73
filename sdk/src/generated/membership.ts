// Generated from the contract by `npm run generate`; a change belongs in sdk/src/contract.
/**
 * Gives a user, a bot or a group of users a role in a project or in the whole account. Memberships add: the strongest role holds.
 *
 * As the API returns it.
 */
export interface Membership {
  /** Identifier, `mbr_` and 27 characters that sort by time. */
  id: string;

  /** Address of this object. */
  uri: string;

  /** When it was created (RFC 3339). */
  created_at: string;

  /** The project in which the role holds. Default null: the whole account, which only admins of the account may name. Set at creation only. */
  project_id: string | null;

  /** The role: `viewer`, `member` or `admin`; for the whole account also `gateway` and `metrics`. */
  role: "member" | "viewer" | "admin" | "gateway" | "metrics";

  /** The user who gets it. Exactly one of `user_id`, `bot_user_id` and `group` is set. Set at creation only. */
  user_id: string | null;

  /** The bot that gets it. Set at creation only. */
  bot_user_id: string | null;

  /** The group whose users get it, as the identity provider names it: who was in it at the last sign-in. Set at creation only. */
  group: string | null;

  /** A description for people. At most 255 bytes. */
  description: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata: string;

  /** When it ends (RFC 3339), in the future by the server's clock. From then on it gives no role; it stays, with `expired` true. Default null: never. May be changed, also to null. */
  expires_at: string | null;

  /** Whether `expires_at` has passed, by the server's clock when it answers. */
  expired: boolean;
}

/** The body that creates a membership. */
export interface MembershipCreate {
  /** The project in which the role holds. Default null: the whole account, which only admins of the account may name. Set at creation only. */
  project_id?: string | null;

  /** The role: `viewer`, `member` or `admin`; for the whole account also `gateway` and `metrics`. */
  role: "member" | "viewer" | "admin" | "gateway" | "metrics";

  /** The user who gets it. Exactly one of `user_id`, `bot_user_id` and `group` is set. Set at creation only. */
  user_id?: string | null;

  /** The bot that gets it. Set at creation only. */
  bot_user_id?: string | null;

  /** The group whose users get it, as the identity provider names it: who was in it at the last sign-in. Set at creation only. */
  group?: string | null;

  /** A description for people. At most 255 bytes. */
  description?: string;

  /** Data of your own for machines, often JSON in a string. At most 4096 bytes. */
  metadata?: string;

  /** When it ends (RFC 3339), in the future by the server's clock. From then on it gives no role; it stays, with `expired` true. Default null: never. May be changed, also to null. */
  expires_at?: string | null;
}

/** The body that updates a membership; fields left out stay as they are. */
export type MembershipUpdate = Partial<Omit<MembershipCreate, "project_id" | "user_id" | "bot_user_id" | "group">>;
