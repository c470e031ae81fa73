/**
 * Guarantees: changes that would break one are refused, and whether one holds is told. Other rooms import from
 * here only.
 */

export { Guarantees } from "./guard";
export { withState } from "./states";
