import type { Role } from "@tunnelplane/sdk/contract";
import type { Database } from "../storage";

/**
 * What a key came from that ends before its time: a session that is signed out of, or an identity, as it was
 * then, that changes or goes.
 */
export type KeyOrigin = Pick<Database["one_time_secret"], "session_id" | "identity_id" | "identity_version">;

export const NO_ORIGIN: KeyOrigin = { session_id: null, identity_id: null, identity_version: null };

/** The user or bot that makes a request with one of its API keys, or in a session. */
export interface Caller {
  readonly ownerId: string;
  /** The name of the user or bot. */
  readonly name: string;
  /** The strongest role that holds in the project; null for none. */
  readonly role: Role | null;
  /** The role in the whole account; null for none. */
  readonly accountRole: Role | null;
  /** The projects in which a role holds. */
  readonly projects: readonly ProjectRole[];
  /** The API key, or the session, of the request. */
  readonly keyId: string;
  /** What the keys that it makes end with. */
  readonly origin: KeyOrigin;
  /** Whether the request comes in the session of a browser. */
  readonly inBrowser: boolean;
  /** The project for which the key is; null for all in which its owner has a role. */
  readonly keyProject: string | null;
  /** The id of the project that the request is about; undefined for gateways, which serve all. */
  readonly project: string | undefined;
  /** The ids of shared projects: every caller may read what is in them. */
  readonly shared: ReadonlySet<string>;
  /** When the key expires; null if it does not. */
  readonly expiresAt: string | null;
  /** The scopes of the key, which narrow the role; none are all. */
  readonly scopes: readonly string[];
  /** Whether the role is that of an admin. */
  readonly admin: boolean;
}

/** The role of a caller in a project. */
export interface ProjectRole {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
}

/** The server as a caller. It has no key, so events name it as their source. */
export const theServerIn = (project: string): Caller => ({
  ownerId: "server",
  name: "server",
  role: "admin",
  accountRole: "admin",
  projects: [],
  keyId: "",
  origin: NO_ORIGIN,
  inBrowser: false,
  keyProject: null,
  project,
  shared: new Set(),
  expiresAt: null,
  scopes: [],
  admin: true,
});
