/**
 * The rules for stored objects and objects that a write will store. They serve single writes and change sets:
 * a write of one object is a set of one.
 */

export { checkCircles, lockAllNesting, lockNesting, nests } from "./circles";
export { type BriefRow, Existing, type HolderRow, type ReferrerRow, referencesTo } from "./existing";
export { type PendingDelete, type PendingWrite, type ResolvableReference, refusing } from "./pending";
export { checkKinds, checkTargets, isLendable, NAMED_EVERYWHERE, referencesOf } from "./references";
export { checkReferrers } from "./referrers";
export { checkUniqueKeys } from "./uniqueKeys";
