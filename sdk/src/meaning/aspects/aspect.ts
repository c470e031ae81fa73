import type { Kind } from "../../contract/kinds";
import type { ModuleName, ModuleNameOf } from "../../contract/registry";
import type { Check, Location } from "../judgement/check";
import type { Shown } from "./shown";

type KindWith<M extends ModuleName> = { [K in Kind]: M extends ModuleNameOf<K> ? K : never }[Kind];

/** A protection, or another thing that a module does to requests. */
export interface Aspect<M extends ModuleName = ModuleName> {
  /** Every kind that has the module. */
  readonly of: { readonly [K in KindWith<M>]: true };
  /**
   * @returns undefined if the module asks for nothing
   * @throws Unservable if a gateway could not enforce the module
   */
  prepare(location: Location): Check | undefined;
  /** The part that exposures show; for backends, rows have a field of their own. */
  readonly shows?: Shown;
}
