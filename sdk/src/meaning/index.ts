import "../nodeVersion";

export type { AccessChange, Example, Opened } from "./access/changes";
export { compareAccess } from "./access/compareAccess";
export type { AccessComparison, Unproved } from "./access/comparison";
export { changeText, decidedText, exampleText } from "./access/requestText";
export type { ExposedAction } from "./aspects/actions";
export type { ExposedAuthority } from "./aspects/clientCertificate";
export { listedText } from "./aspects/shown";
export type { SignIn } from "./aspects/signIn";
export type { Tls } from "./aspects/tls";
export type { TokenCheck } from "./aspects/token";
export type { UserAgents } from "./aspects/userAgents";
export { type FreshClaim, freshClaims } from "./changes/claims";
export { beforeAndAfterText, type FieldChange } from "./changes/fieldText";
/**
 * The exposure of a set of objects (who can reach what), and the findings about a change (what callers will
 * notice). Pure functions: no server, no program, no clock.
 */
export { decisions } from "./decision/decider";
export { KnownFaults, unservable } from "./decision/unservable";
export {
  type AspectText,
  aspectTexts,
  checkTexts,
  type Exposure,
  eachExposure,
  exposureOf,
} from "./exposure/exposure";
export { exposureSchema } from "./exposure/schema";
export type { FieldName } from "./fieldNames";
export { type CompareOptions, type Comparison, compare, findingsOf } from "./findings/compare";
export type { AspectFields, Remaining } from "./findings/fields";
export { type Cause, type Finding, isAcceptedBy } from "./findings/finding";
export { findingSetAside } from "./findings/guarantees";
export { RULES, type Severity } from "./findings/rules";
export {
  type BrokenGuarantee,
  contradiction,
  coversHost,
  evaluateGuarantee,
  evaluateGuarantees,
  type GuaranteeChange,
  type GuaranteeState,
  guaranteesBrokenBy,
  guaranteeText,
  mistakeInGuarantee,
} from "./guarantees";
export { addressOf, hostportOf } from "./judgement/address";
export { mayBind, refusalToBind } from "./judgement/backends/binding";
export { targetText } from "./judgement/backends/targetText";
export type { Target, WeightedPart } from "./judgement/backends/traffic";
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
  type TokenLocation,
  UNRECORDED,
  type Unserved,
} from "./judgement/types";
export { type Named, nameOf, objectText, referenceName } from "./names";
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
