import "../nodeVersion";

export type { AccessChange, Example, Opened } from "./access/changes";
export { compareAccess } from "./access/compareAccess";
export type { AccessComparison, Unproved } from "./access/comparison";
export { changeWords, decidedWords, exampleWords } from "./access/words";
export type { ExposedAction } from "./aspects/actions";
export type { ExposedAuthority } from "./aspects/clientCertificate";
export { listedWords } from "./aspects/shown";
export type { SignIn } from "./aspects/signIn";
export type { Tls } from "./aspects/tls";
export type { TokenCheck } from "./aspects/token";
export type { UserAgents } from "./aspects/userAgents";
export { type AspectWords, aspectWords, checkWords } from "./aspects/words";
export { type FreshClaim, freshClaims } from "./changes/claims";
export { bothInWords, type FieldChange } from "./changes/words";
/**
 * The exposure of a set of objects (who can reach what), and the findings about a change (what callers will
 * notice). Pure functions: no server, no program, no clock.
 */
export { decisions } from "./decision/decider";
export {
  type AcceptedTokens,
  type Decider,
  type Decision,
  type DecisionRequest,
  type DecisionStep,
  type Dimension,
  isLetIn,
  type Outcome,
  type Predicate,
  type Predicates,
  type RequestSession,
  type RequestToken,
  type TextDimension,
  type TextQuestion,
  type TokenPlace,
  UNRECORDED,
  type Unserved,
} from "./decision/types";
export { KnownFaults, unservable } from "./decision/unservable";
export { mayBind, refusalToBind } from "./exposure/binding";
export {
  type Exposure,
  eachExposure,
  exposureOf,
} from "./exposure/exposure";
export { addressOf, hostportOf } from "./exposure/rows";
export { exposureSchema } from "./exposure/schema";
export { targetWords } from "./exposure/targetWords";
export type { Target, WeightedPart } from "./exposure/traffic";
export type { FieldName } from "./fieldNames";
export { type CompareOptions, type Comparison, compare, findingsOf, RULES } from "./findings/compare";
export type { AspectFields, Remaining } from "./findings/fields";
export { type Cause, type Finding, isAcceptedBy, type Severity } from "./findings/finding";
export { findingSetAside } from "./findings/guarantees";
export {
  type BrokenGuarantee,
  contradiction,
  coversHost,
  type GuaranteeChange,
  type GuaranteeState,
  guaranteesBrokenBy,
  guaranteeWords,
  judgeGuarantee,
  judgeGuarantees,
  mistakeInGuarantee,
} from "./guarantees";
export { type Named, nameOf, objectWords, referenceName } from "./names";
export type { Interval, Intervals } from "./networks/intervals";
export {
  beyond,
  EVERYONE,
  isEveryone,
  isNobody,
  listNetworks,
  type NetworkList,
  type NetworkSet,
  NOBODY,
  networkSet,
  sameNetworks,
} from "./networks/networkSet";
export { UNKNOWN, type World, type WorldObject } from "./world";
