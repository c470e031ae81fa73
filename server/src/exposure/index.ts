/**
 * The exposure of stored objects, and the effects of dry runs on callers. Other rooms import from here only.
 */

export { DryRunConsequences } from "./consequences";
export { exposurePage, hostportOf } from "./page";
