import type { Model, ModelObject } from "../model";
import type { Credentials } from "./backends/binding";
import type { Backends } from "./backends/destinations";
import type { Target } from "./backends/traffic";
import type { IncomingRequest } from "./incomingRequest";
import type { Condition } from "./rules/condition";
import type { Decision, DecisionStep, Predicate } from "./types";

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
export interface Location extends Ground {
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
  look(request: IncomingRequest): Verdict;
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
