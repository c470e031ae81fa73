import type { Kind } from "../../contract/kinds";
import type { ModuleName, ModuleNameOf } from "../../contract/registry";
import type { Arriving } from "../decision/arriving";
import type { Backends } from "../decision/rules/backends";
import type { Condition } from "../decision/rules/condition";
import type { Decision, DecisionStep, Predicate } from "../decision/types";
import type { Credentials } from "../exposure/binding";
import type { Target } from "../exposure/traffic";
import type { Model, ModelObject } from "../model";
import type { Shown } from "./shown";

/** A world, with look-ups that many addresses share. */
export interface Ground {
  readonly model: Model;
  readonly credentials: Credentials;
  readonly backends: Backends;
}

/** A hostport of an edge. */
export interface Hostport {
  /** In lower case; may begin with `*.`. */
  readonly host: string;
  readonly port: number;
}

/** The place of an aspect: an edge or a route, for one hostport. */
export interface Place extends Ground {
  /** The object that has the module. */
  readonly holder: ModelObject;
  readonly hostport: Hostport;
  /** Whether HTTP is read there. */
  readonly http: boolean;
}

/** The result of a check for one request. */
export interface Verdict {
  readonly step?: DecisionStep;
  /** Whether a rate limit may refuse what passes. */
  readonly limited?: true;
  /** How the request ends here; if absent, it goes on. */
  readonly end?: Pick<Decision, "outcome" | "status"> & { readonly goesTo?: () => Target };
}

/** The work of one module at one place. Made once, and used for each request. */
export interface Check {
  look(request: Arriving): Verdict;
  readonly predicates: readonly Predicate[];
  /** The conditions that it evaluates. No other check asks for the headers in them, but for `user-agent`. */
  readonly conditions?: readonly Condition[];
  /** Why it cannot be decided here, whatever the request is. */
  readonly unknown?: string;
  /** Why comparisons cannot cut requests up by it, though each request is decided. */
  readonly uncut?: string;
  /** Whether it depends on more of the path than its beginning with "/". */
  readonly asksPath?: boolean;
}

type KindWith<M extends ModuleName> = { [K in Kind]: M extends ModuleNameOf<K> ? K : never }[Kind];

/** A protection, or another thing that a module does to requests. */
export interface Aspect<M extends ModuleName = ModuleName> {
  /** Every kind that has the module. */
  readonly of: { readonly [K in KindWith<M>]: true };
  /**
   * @returns undefined if the module asks for nothing
   * @throws Unservable if a gateway could not enforce the module
   */
  prepare(place: Place): Check | undefined;
  /** The rules of findings about callers that a change of it lets in or refuses. */
  readonly rules?: { readonly opening: readonly string[]; readonly closing: readonly string[] };
  /** The part that exposures show; for backends, rows have a field of their own. */
  readonly shows?: Shown;
}
