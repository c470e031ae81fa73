import type { Role } from "../contract/role";
import type { Transport } from "./transport";

/** The owner of an API key, its role, and the server that knows it. */
export interface Caller {
  /** The user or bot that owns the key. */
  readonly owner_id: string;
  /** The name of the owner. */
  readonly name: string;
  /** Null for a user who has no role yet. */
  readonly role: Role | null;
  readonly key_id: string;
  /**
   * The account of the server's database, as events name it in `account_id`: the same at every address, for
   * all servers of one database, and after a restore.
   */
  readonly server_id: string;
  /** The role for the whole account; null if it holds only for projects. */
  readonly account_role: Role | null;
  /** The projects in which the caller has a role. */
  readonly projects: readonly CallerProject[];
  /** What the key may do of what the role allows; empty: all. */
  readonly scopes: readonly string[];
  /** When the key expires (RFC 3339); null if it does not. */
  readonly expires_at: string | null;
}

/** A project in which a caller has a role. */
export interface CallerProject {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** Asks the server who owns the transport's API key. */
export const callerOf = async (transport: Transport): Promise<Caller> =>
  (await transport.request<Caller>("GET", "/caller")).body;
