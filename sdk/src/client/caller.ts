import type { Role } from "../contract/role";
import type { Transport } from "./transport";

/** The owner of an API key, and its role. */
export interface Caller {
  /** The user or bot that owns the key. */
  readonly owner_id: string;
  /** The name of the owner. */
  readonly name: string;
  readonly role: Role;
  readonly key_id: string;
  /** When the key expires (RFC 3339); null if it does not. */
  readonly expires_at: string | null;
}

/** Asks the server who owns the transport's API key. */
export const callerOf = async (transport: Transport): Promise<Caller> => (await transport.request<Caller>("GET", "/caller")).body;
