/** Who can reach what, and what a dry run would mean for callers. Other rooms import from here only. */

export { DryRunConsequences } from "./consequences";
export { exposurePage, hostportOf } from "./page";
