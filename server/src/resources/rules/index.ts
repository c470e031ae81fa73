/**
 * The rules about what is there and what comes: for one object, and for a change set. A write of one object
 * is a set of one.
 */

export { checkCircles, nests, takeTurnOfAll, takeTurnToNest } from "./circles";
export { type Coming, type Leaving, type ResolvableReference, refusing } from "./coming";
export { type BriefRow, Existing, type HolderRow, type UserRow } from "./existing";
export { checkKinds, checkTargets, referencesOf } from "./references";
export { checkUniqueKeys } from "./uniqueKeys";
export { checkUsers } from "./users";
