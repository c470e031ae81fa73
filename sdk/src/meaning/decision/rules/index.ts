import "../../../nodeVersion";

/**
 * The rules by which gateways enforce or refuse declared objects: conditions and expressions, patterns,
 * policies, rewrites, limits, answers and names. Decisions and the gateway's translation share them.
 */
export { refuseUnusable } from "../../aspects/clientCertificate";
export { admittedBy, type RestrictedType, refuseUnknownAction } from "../../aspects/networks";
export { refuseCookies } from "../../aspects/signIn";
export { refuseReading } from "../../aspects/tls";
export { refuseUncheckable } from "../../aspects/token";
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
} from "../../networks/networkSet";
export { holdsAddress } from "../../networks/source";
export { withoutEdge } from "../decider";
export { type Known, refuseUnknownIn } from "../refuseUnknown";
export { refuseAnswer } from "./answers";
export { BACKEND_FAULTS, DEEPEST, MAX_IN_ORDER } from "./backendFaults";
export { CALLER_HEADERS } from "./callerHeaders";
export { asksVerified, claimIn, claimTest, type RequiredClaims, refuseClaims, VERIFIED } from "./claims";
export { all, asks, type Condition, holds, type Input, not, type Test } from "./condition";
export { type ConnectionEdge, type ConnectionStep, connectionSteps } from "./connections";
export { type Bucket, type BucketKey, bucketKeysOf, bucketOf } from "./limits";
export { METHODS } from "./methods";
export {
  heldByOlder,
  isHostport,
  isHostportOf,
  isWildcard,
  readHostport,
  strangeHostport,
  wildcardsAbove,
} from "./names";
export { normalForm, refuseUnreachable } from "./paths";
export { escapeRegex, searching } from "./patterns";
export {
  type Action,
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
} from "./policies";
export { type Rewrite, rewriteOf } from "./rewrite";
export { Unservable, unreadable } from "./unservable";
