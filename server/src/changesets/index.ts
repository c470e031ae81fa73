/**
 * Change sets: many objects brought to a declared state in one transaction. Other rooms import from here
 * only.
 */

export { readRequest, refuseBody } from "./request";
export { ChangeSets, newChangeSetBudget } from "./service";
