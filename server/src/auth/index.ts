/** API keys, owners and the first admin. Other rooms import from here only. */

export { ApiKeys } from "./apiKeys";
export { bootstrap, noteShown, recoverAdminKey } from "./bootstrap";
export type { Caller } from "./caller";
export { KeyUses } from "./keyUses";
export {
  type Belonging,
  isElsewhere,
  isHidden,
  projectOf,
  refuseForeignOwner,
  seesOwnAlone,
} from "./ownership";
export { isAccountAdmin, projectNames, seesAllProjects, sharedProjects } from "./projects";
export { plansForOthers, refuseForeignRights, refuseUnlessMay } from "./rights";
