/**
 * The rules for stored objects and objects that a write will store. They serve single writes and change sets:
 * a write of one object is a set of one.
 */

export { checkCircles, lockAllNesting, lockNesting, nests } from "./circles";
export { type PendingDelete, type PendingWrite, type ResolvableReference, refusing } from "./coming";
export { type BriefRow, Existing, type HolderRow, referencesTo, type UserRow } from "./existing";
export { checkKinds, checkTargets, isLendable, NAMED_EVERYWHERE, referencesOf } from "./references";
export { checkUniqueKeys } from "./uniqueKeys";
export { checkReferrers } from "./users";
