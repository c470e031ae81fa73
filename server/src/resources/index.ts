/**
 * Creates, reads, changes and deletes objects of any type, each change in one transaction. Other rooms import
 * from here only.
 */

export { amendByServer, requestOfServer } from "./byServer";
export type { KeptSecret } from "./creation/behaviour";
export { prepareCreation } from "./creation/prepare";
export { endRows, forgetEnds, insertEnds, isEndChanged } from "./endTimes";
export { sendExpiredEvents } from "./expiredEvents";
export { type Filter, filtersIn, filtersOf } from "./filters";
export { refuseFromReplaced, refuseLoosening, replacementsOf } from "./handover";
export { forgetAnswers, type IdempotentRequest, locationOf, requestHashOf } from "./idempotency";
export { partsToCome } from "./lacked";
export type { NameSettings, PortRange } from "./nameSettings";
export { parentOf, touchParent } from "./parents";
export * from "./references";
export {
  deleteResources,
  insertResources,
  insertSealedSecrets,
  insertSecretHashes,
  STORED_COLUMNS,
  type StoredRow,
  updateDocument,
} from "./rows";
export * from "./rules";
export { ResourceService } from "./service";
export { type Amendment, amendmentOf, type ObjectPath, type Precondition } from "./stored";
export { partAnswer, Subresources } from "./subresources";
export { takeOver } from "./takeover";
export {
  type Asking,
  type ChangeRequest,
  type Check,
  type Finder,
  type Guard,
  NotEvaluated,
  type SearchRequest,
  type ServerContext,
  Transactions,
} from "./transaction";
