import type { Fields } from "./fieldNames";

/** It may stand anywhere in an object's fields. */
export { UNKNOWN } from "../unknown";

/** An object from an answer of the API or from a program; field names are those of the API in both. */
export interface WorldObject {
  /** The kind: `tls_edge`, or for a module that is a resource of its own, `tls_edge.mutual_tls`. */
  readonly kind: string;
  /** The server's id; absent for an object that a preview would create or replace. */
  readonly id?: string;
  /**
   * The resource's URN; the same in both worlds unless the resource was renamed. References may hold it
   * instead of an id.
   */
  readonly urn?: string;
  /** The resource's name in its program. If absent, sentences use the description, subject or hostport. */
  readonly name?: string;
  /** The program's stack; absent for an object that belongs to no program. */
  readonly stack?: string;
  /** Whether this is a credential that the reader may not see. It is counted, but never named. */
  readonly hidden?: true;
  /** Whether an object outside of this world refers to it. */
  readonly used?: true;
  /** The paths of secrets that have another value than before, where the values themselves are left out. */
  readonly newSecrets?: readonly string[];
  /**
   * The fields in their sent form (`backend_id`) or answered form (`backend: {id}`). Secrets may be left out.
   */
  readonly fields: Fields;
}

/** All objects known at one time. Their order does not matter. */
export interface World {
  readonly objects: readonly WorldObject[];
  /**
   * Whether objects are missing, for example those outside of a stack. Findings that depend on them are
   * uncertain.
   */
  readonly partial?: boolean;
  /** Whether the missing objects include no edge, and nothing that decides at one. */
  readonly knowsEdges?: boolean;
  /**
   * Values that no two objects may have and that objects outside of this world have: hostports of another
   * project, for example; see `claimText`.
   */
  readonly taken?: readonly string[];
  /** The ids of users and bots that are known to be admins. */
  readonly admins?: readonly string[];
  /** The user or bot who owns new objects that name no owner. */
  readonly caller?: string;
  /**
   * The time at which it is looked at, in milliseconds since 1970: what has ended by then allows nothing.
   * Default: the clock's.
   */
  readonly now?: number;
  /** The ports that gateways listen for; without, every port counts as listened for. */
  readonly ports?: readonly number[];
}
