import "../nodeVersion";

/**
 * The rules by which gateways enforce or refuse declared objects: conditions and expressions, patterns,
 * policies, rewrites, limits, answers and names. Decisions and the gateway's translation share them.
 */
export { refuseUnusable } from "./aspects/clientCertificate";
export { admittedBy, type RestrictedType, refuseUnknownAction } from "./aspects/networks";
export { refuseCookies } from "./aspects/signIn";
export { refuseReading } from "./aspects/tls";
export { isScheme, refuseUncheckable } from "./aspects/token";
export { withoutEdge } from "./decision/decider";
export { type Known, refuseUnknownIn } from "./decision/refuseUnknown";
export { BACKEND_FAULTS, MAX_IN_ORDER, MAX_NESTED } from "./judgement/backends/faults";
export { refuseAnswer } from "./judgement/rules/answers";
export {
  asksVerified,
  claimIn,
  claimTest,
  type RequiredClaims,
  refuseClaims,
  VERIFIED,
  WORDS,
} from "./judgement/rules/claims";
export { all, asks, type Condition, holds, type Input, not, type Test } from "./judgement/rules/condition";
export { type ConnectionEdge, type ConnectionStep, connectionSteps } from "./judgement/rules/connections";
export { CALLER_HEADERS, NAVIGATED } from "./judgement/rules/knownHeaders";
export { type Bucket, type BucketKey, bucketKeysOf, bucketOf } from "./judgement/rules/limits";
export { METHODS } from "./judgement/rules/methods";
export {
  heldByOlder,
  isHostport,
  isHostportOf,
  isWildcard,
  readHostport,
  strangeHostport,
  wildcardsAbove,
} from "./judgement/rules/names";
export { KEEPS_SLASHES, normalForm, refuseKeptSlashes, refuseUnreachable } from "./judgement/rules/paths";
export { escapeRegex, searching } from "./judgement/rules/patterns";
export {
  type Action,
  asksPath,
  conditionsOf,
  EFFECTS,
  type Effect,
  type Effects,
  type Limit,
  NOTHING,
  onlyLogs,
  outcomesOf,
  type Policies,
  type Policy,
  type Settled,
  settle,
} from "./judgement/rules/policies";
export { type Rewrite, rewriteOf } from "./judgement/rules/rewrite";
export { Unservable, unreadable } from "./judgement/rules/unservable";
export {
  beyond,
  EVERYONE,
  inBoth,
  isEveryone,
  isNobody,
  masked,
  type NetworkSet,
  networkSet,
  networksIn,
  unionOf,
} from "./networks/networkSet";
export { holdsAddress } from "./networks/source";
