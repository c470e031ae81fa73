/**
 * Creates, reads, changes and deletes objects of any type, each change in one transaction. Other rooms import
 * from here only.
 */

export type { KeptSecret } from "./creation/behaviour";
export { prepareCreation } from "./creation/prepare";
export { type Filter, filtersIn, filtersOf } from "./filters";
export { forgetAnswers, type IdempotentRequest, placeOf, requestHashOf } from "./idempotency";
export { parentOf, touchParent } from "./parents";
export {
  forgetReferences,
  forgetUniqueKeys,
  insertReferences,
  insertUniqueKeys,
  keysOf,
  referenceRows,
} from "./references";
export { referrersOf } from "./referrers";
export {
  deleteResources,
  findById,
  findWhole,
  insertResources,
  insertSealedSecrets,
  insertSecretHashes,
  type StoredRow,
  updateDocument,
} from "./rows";
export {
  type BriefRow,
  type Coming,
  checkCircles,
  checkKinds,
  checkTargets,
  checkUniqueKeys,
  checkUsers,
  Existing,
  type HolderRow,
  type Leaving,
  nests,
  type ResolvableReference,
  referencesOf,
  takeTurnOfAll,
  type UserRow,
} from "./rules";
export { ResourceService } from "./service";
export { type Amendment, amendmentOf, type Place, type Precondition, refuseMembers } from "./stored";
export { partAnswer, Subresources } from "./subresources";
export { type ChangeRequest, type Context, Transactions } from "./transaction";
