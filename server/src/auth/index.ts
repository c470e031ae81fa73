/** API keys, owners and the first admin. Other rooms import from here only. */

export { ApiKeys } from "./apiKeys";
export { bootstrap, noteShown, recoverAdminKey } from "./bootstrap";
export type { Caller } from "./caller";
export { KeyUses } from "./keyUses";
export { refuseLastAdmin } from "./lastAdmin";
export {
  type Belonging,
  isElsewhere,
  isHidden,
  isLent,
  isShareable,
  missingTarget,
  projectOf,
  projectOfNew,
  readerOf,
  refuseForeignOwner,
  type Shown,
  seesOwnAlone,
  shownIn,
  userById,
} from "./ownership";
export { isAccountAdmin, projectNames, seesAllProjects, sharedProjects } from "./projects";
export { refuseForeignReach } from "./reach";
export { plansForOthers, refuseForeignRights, refuseUnlessMay } from "./rights";
