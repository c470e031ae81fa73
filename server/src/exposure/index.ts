/**
 * The exposure of stored objects, and the effects of dry runs on callers. Other rooms import from here only.
 */

export { DryRunConsequences } from "./consequences";
export { decide } from "./decide";
export * from "./guarantees";
export { exposurePage, hostportOf } from "./page";
