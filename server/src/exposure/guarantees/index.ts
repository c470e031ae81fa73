/**
 * Guarantees: refuses changes that would break one, and answers whether one holds. Other rooms import from
 * here only.
 */

export { Guarantees } from "./guard";
export { CLAIM_MS } from "./keeping";
export { MAX_STATES } from "./limits";
export { withState, withStates, withStateToCome } from "./states";
