import type { Check } from "../judgement/check";
import type { DecisionStep } from "../judgement/types";
import type { ModelObject } from "../model";

/** A route as one hostport serves it. */
export interface RouteSite {
  readonly thing: ModelObject;
  /** The hostport with the path, as in exposures. */
  readonly address: string;
  readonly exact: boolean;
  readonly path: string;
  readonly step: DecisionStep;
  readonly checks: readonly Check[];
  /** Those of them that stand before the gateway's own paths, too. */
  readonly admission: readonly Check[];
}
