import type { Definition } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Caller } from "../../auth";
import type { Document } from "../../documents";
import type { Keyring } from "../../secrets";
import type { Database } from "../../storage";

/** An object that is about to be created. */
export interface Creation {
  readonly definition: Definition;
  readonly id: string;
  readonly now: Date;
  /** What was sent, found sound, with its defaults; what it refers to exists. */
  readonly sent: Document;
  /** Who asks for it. */
  readonly caller: Caller;
  /** Reads what is committed. */
  readonly reader: Kysely<Database>;
  readonly keyring: Keyring;
}

/** What a behaviour adds to a creation. */
export interface Addition {
  /** What was sent, with the defaults that only the server can choose. */
  readonly sent?: Document;
  /** Computed fields; stored with the object and kept by its updates. */
  readonly computed?: Document;
  /** Computed fields that the creation's answer tells, and that are kept nowhere. */
  readonly oneTime?: Document;
  /** Stores what stands beside the object, in the creation's transaction. */
  readonly keep?: (transaction: Kysely<Database>) => Promise<unknown>;
}

/**
 * What a resource type does beyond being stored. Runs before the creation's transaction, so that slow work
 * (making keys, signing) keeps no other writer waiting; nothing of it stays when the creation is refused.
 */
export type Behaviour = (creation: Creation) => Promise<Addition>;
