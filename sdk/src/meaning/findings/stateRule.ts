import type { Model, ModelObject } from "../model";
import type { Names } from "../names";
import type { RuleName, Severity } from "./rules";

export interface Description {
  readonly sentence: string;
  readonly after?: unknown;
  readonly property?: string;
  readonly certain?: boolean;
  /** Default: that of the rule. */
  readonly severity?: Severity;
  /** Equal as long as the same is true of the object. */
  readonly content: string;
}

/** Rules about an object as it is, whether or not it changes. */
export interface StateRule {
  readonly rule: RuleName;
  /** Whether nothing is said of objects that were so before. */
  readonly isOfChange?: true;
  readonly describe: (
    thing: ModelObject,
    world: { readonly model: Model; readonly names: Names; readonly now?: Date },
  ) => Description | undefined;
}
