import type { Fields } from "./fieldNames";

/** How the engine of Pulumi writes a value that a preview does not know yet; it may stand anywhere in the fields of an object. */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** An object as the API answers it, or as a program declares it; names of fields are the API's in both. */
export interface WorldObject {
  /** The kind: `tls_edge`; or, where a module is declared as a resource of its own, `tls_edge.mutual_tls`. */
  readonly kind: string;
  /** The id that the server gave; absent for what a preview would create or replace. */
  readonly id?: string;
  /** The resource's URN; the same in both worlds unless the resource was renamed. References may name it in the place of an id. */
  readonly urn?: string;
  /** The resource's name in its program. Without it, people are shown the description, subject or hostport. */
  readonly name?: string;
  /** The program's stack; absent for what belongs to no program. */
  readonly stack?: string;
  /** A credential that the reader may not see: it is counted and never named. */
  readonly hidden?: true;
  /** Something that is not in this world refers to it. */
  readonly used?: true;
  /** As they are sent (`backend_id`) or as they are answered (`backend: {id}`). Secrets may be left out. */
  readonly fields: Fields;
}

/** All that is known at one time. The order of objects means nothing. */
export interface World {
  readonly objects: readonly WorldObject[];
  /** There are objects that this world does not hold, for example those outside of a stack: what rests on them is uncertain. */
  readonly partial?: boolean;
  /** The ids of users and bots that are admins, where it is known. */
  readonly admins?: readonly string[];
  /** The user or bot that owns what is created without naming an owner. */
  readonly caller?: string;
}
