/** API keys, sessions, owners and the first admin. Other rooms import from here only. */

export { ApiKeys } from "./apiKeys";
export { bootstrap, noteShown, recoverAdminKey } from "./bootstrap";
export { type Caller, type KeyOrigin, NO_ORIGIN, theServerIn } from "./caller";
export type { Choice } from "./callers";
export { KeyUses } from "./keyUses";
export { refuseLastAdmin } from "./lastAdmin";
export { beginDevice, DEVICE_MS, type Grant, grantCode, grantDevice, redeem } from "./logins";
export {
  type Belonging,
  holderOf,
  isElsewhere,
  isHidden,
  isLent,
  isOfOthers,
  isShareable,
  missingTarget,
  ONLY_LENT,
  projectOf,
  projectOfNew,
  readerOf,
  refuseForeignOwner,
  roleIn,
  type Shown,
  seesOwnAlone,
  shownIn,
  userById,
} from "./ownership";
export { isAccountAdmin, projectNames, seesAllProjects, sharedProjects } from "./projects";
export { refuseForeignReach } from "./reach";
export {
  MAX_RESTRICTIONS,
  type Origin,
  RESTRICTING,
  type Restrictions,
  refuseLockOut,
} from "./restrictions";
export { plansForOthers, refuseForeignRights, refuseUnlessMay } from "./rights";
export {
  beginLogin,
  beginSession,
  csrfTokenOf,
  endSession,
  forgetEndedSessions,
  isCsrfTokenOf,
  isUsed,
  LOGIN_MS,
  SESSION_MS,
  sessionAt,
  sessionPage,
} from "./sessions";
export { isWithin, standingOf } from "./standing";
export { type Profile, setActive, TooManyUsers, userAt, userOf, userPage } from "./users";
