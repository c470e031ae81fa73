import type { Definition } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Caller } from "../../auth";
import type { Document } from "../../documents";
import type { Keyring } from "../../secrets";
import type { Database } from "../../storage";
import type { NameSettings } from "../nameSettings";

/** An object that is about to be created. */
export interface Creation<S = Document> {
  readonly definition: Definition;
  readonly id: string;
  readonly now: Date;
  /** The body, validated, with its defaults. The objects that it refers to exist. */
  readonly sent: S;
  /** Who makes the request. */
  readonly caller: Caller;
  /** Reads what is committed. */
  readonly reader: Kysely<Database>;
  readonly keyring: Keyring;
  readonly names: NameSettings;
  /** Secrets of objects that are created together with this one and are not stored yet, by id. */
  readonly made?: ReadonlyMap<string, KeptSecret>;
}

/**
 * A secret that the server needs again and no answer shows. It is sealed, stored beside the object, and
 * deleted with it.
 */
export interface KeptSecret {
  readonly name: string;
  readonly text: string;
}

/** The result of a behaviour, added to the creation. */
export interface Addition {
  /** The body, with the defaults that only the server can choose. */
  readonly sent?: Document;
  /** Computed fields; stored with the object and kept by its updates. */
  readonly computed?: Document;
  /** One-time secrets: only the creation's answer shows them. */
  readonly oneTime?: Document;
  /** The hash of its one-time secret, by which it is found. */
  readonly secretHash?: string;
  readonly kept?: KeptSecret;
}

/**
 * Extra work of a resource type on creation, for example making keys or signing. Runs before the transaction,
 * so that slow work blocks no other writer. If the creation is refused, nothing of it stays.
 */
export type Behaviour<S = Document> = Bivariant<S>["behaviour"];

/**
 * TypeScript compares parameters of methods both ways, so the behaviour of one type fits into the table of
 * all types.
 */
interface Bivariant<S> {
  behaviour(creation: Creation<S>): Promise<Addition>;
}
