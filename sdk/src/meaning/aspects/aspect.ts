import type { Kind } from "../../contract/kinds";
import type { ModuleName, ModuleNameOf } from "../../contract/registry";
import type { Arriving } from "../decision/arriving";
import type { Backends } from "../decision/rules/backends";
import type { Decision, DecisionStep, Predicate } from "../decision/types";
import type { Credentials } from "../exposure/binding";
import type { Target } from "../exposure/traffic";
import type { Model, ModelObject } from "../model";
import type { Shown } from "./shown";

/** A world, with what is looked up in it for many addresses. */
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

/** Where an aspect is looked at: an edge or a route, for one hostport. */
export interface Place extends Ground {
  /** The object that has the module. */
  readonly holder: ModelObject;
  readonly hostport: Hostport;
  /** Whether HTTP is read there. */
  readonly http: boolean;
}

/** What a check says of one request. */
export interface Verdict {
  readonly step?: DecisionStep;
  /** Whether a rate limit may refuse what passes. */
  readonly limited?: true;
  /** How the request ends here; without, it goes on. */
  readonly end?: Pick<Decision, "outcome" | "status"> & { readonly goesTo?: () => Target };
}

/** What one module does at one place. Made once, and asked for each request. */
export interface Check {
  look(request: Arriving): Verdict;
  readonly predicates: readonly Predicate[];
  /** Why it cannot be decided here, whatever the request is. */
  readonly unknown?: string;
  /** Whether it depends on more of the path than its beginning with "/". */
  readonly asksPath?: boolean;
}

type KindWith<M extends ModuleName> = { [K in Kind]: M extends ModuleNameOf<K> ? K : never }[Kind];

/** A protection, or another thing that a module does to requests. */
export interface Aspect<M extends ModuleName = ModuleName> {
  /** Every kind that has the module. */
  readonly of: { readonly [K in KindWith<M>]: true };
  /**
   * @returns undefined where the module asks for nothing
   * @throws Unservable where a gateway could not enforce the module
   */
  prepare(place: Place): Check | undefined;
  /** The rules of findings that say what a change of it lets in, and whom it refuses. */
  readonly rules?: { readonly opening: readonly string[]; readonly closing: readonly string[] };
  /** What exposures show of it; rows have a field of their own for where backends lead. */
  readonly shows?: Shown;
}
