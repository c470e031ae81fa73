/** Creates, reads, changes and deletes objects of any type, each change in one transaction. Other rooms import from here only. */

export { forgetAnswers, type IdempotentRequest, placeOf, requestHashOf } from "./idempotency";
export { findById, findWhole } from "./rows";
export { ResourceService } from "./service";
export type { Place, Precondition } from "./stored";
export { partAnswer, Subresources } from "./subresources";
export type { ChangeRequest, Context } from "./transaction";
