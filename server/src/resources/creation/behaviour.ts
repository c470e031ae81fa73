import type { Definition } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import type { Caller, KeyOrigin } from "../../auth";
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
  readonly names: NameSettings;
}

/** The same once it is planned, with what opens secrets. */
export interface Making<S = Document> extends Creation<S> {
  readonly keyring: Keyring;
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

/** What can be said of an object before it is made. */
export interface Planned {
  /** The body, with the defaults that only the server can choose. */
  readonly sent?: Document;
  /** Computed fields that need no secret; stored with the object and kept by its updates. */
  readonly computed?: Document;
}

/** What only the real request makes. */
export interface Made {
  /** Computed fields; null in a dry run. */
  readonly computed?: Document;
  /** One-time secrets: only the creation's answer shows them. */
  readonly oneTime?: Document;
  /** The hash of its one-time secret, by which it is found. */
  readonly secretHash?: string;
  /** What ends an API key before its time. Default: nothing. */
  readonly origin?: KeyOrigin;
  readonly kept?: KeptSecret;
}

/**
 * Extra work of a resource type on creation, in two halves. Both run before the transaction, so that slow
 * work blocks no other writer. If the creation is refused, nothing of it stays.
 */
export interface Behaviour<S = Document> {
  /** Checks, and chooses values. Dry runs do this too, so it neither makes nor opens a secret. */
  plan?(creation: Creation<S>): Promise<Planned>;
  /** Makes keys, tokens and signatures. A dry run never gets here. */
  make?(creation: Making<S>): Promise<Made>;
}
