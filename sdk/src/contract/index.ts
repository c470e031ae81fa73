import "../nodeVersion";

export { MAX_SET_OBJECTS } from "./changeSet";
export * from "./codeSamples";
export { unknownChoice } from "./core/choices";
export * from "./core/convert";
export * from "./core/definition";
export * from "./core/definition";
export { lookupOf } from "./core/definition";
export {
  endedFieldOf,
  endFieldOf,
  endTimeOf,
  hasEnded,
  inThePast,
  passedEnd,
} from "./core/ends";
export { object, text, UNNOTICED_FIELDS, word } from "./core/fields";
export {
  bare,
  defaultOf,
  docOf,
  type Embedded,
  elementOf,
  fieldsOf,
  isOptional,
  isOutput,
  type Marks,
  marksOf,
  type Problem,
  shapeOf,
  type Variants,
} from "./core/marks";
export * from "./core/module";
export { codeOf, entriesOf, isObject, keysOf, messageOf, own, present } from "./core/narrow";
export { newId, takeRandom } from "./core/newId";
export { once, oncePer } from "./core/once";
export * from "./core/renewal";
export * from "./core/shape";
export { didYouMean } from "./core/similarity";
export * from "./core/spelling";
export { nameAndId } from "./core/spelling";
export * from "./core/validate";
export { messageOf as messageOfIssue } from "./core/validate";
export {
  isWithheld,
  UNDECIDING_FIELDS,
  UNDECIDING_MODULES,
  waitedForBy,
  waits,
  withServedHostports,
} from "./core/waiting";
export { decisionRequestSchema, decisionSchema, MAX_DECISIONS } from "./decision";
export { EDGE_KINDS, type EdgeKind, isEdgeKind } from "./edges";
export * from "./errors";
export { binds, mistakeInBind } from "./formats/acl";
export { type Arn, readArn } from "./formats/arn";
export { needsRsaPss } from "./formats/certificateAuthority";
export { cidrKey, mistakeInCidr, networksAround, plainAddress } from "./formats/cidr";
export { pathOfClaim } from "./formats/claim";
export { actionOf, type Change, changesOf, EVENT_TYPES, eventTypeOf } from "./formats/event";
export { fieldsOfForm } from "./formats/form";
export { GATEWAY_NAME, GATEWAY_NAME_FORM } from "./formats/gatewayName";
export { type GuaranteedAddress, readGuaranteedAddress } from "./formats/guaranteedAddress";
export { isAddress, isDomain, MAX_ADDRESS_LENGTH, portOf, TCP_PORT } from "./formats/host";
export {
  ENCODED_NEEDLESSLY,
  mistakeInHeaderValue,
  mistakeInPath,
  mistakeInResponseHeader,
  OWN_PATHS,
} from "./formats/http";
export { PEM_BLOCK, pemWrittenAnew } from "./formats/pem";
export { coveringKeys, overlaps, reservedKey } from "./formats/reserved";
export {
  fingerprint,
  readSshPublicKey,
  type SshPublicKey,
  sshPublicKey,
  validSshPublicKey,
} from "./formats/sshPublicKey";
export { durationSeconds, secondsOf, timestamp } from "./formats/time";
export { isFor } from "./formats/tlsCertificate";
export { DEFAULT_SITE, siteIn } from "./formats/url";
export { completeValidity } from "./formats/validity";
export { webhookKey } from "./formats/webhook";
export { KINDS, type Kind } from "./kinds";
export { JWT_ALGORITHMS } from "./modules/jwtValidation";
export * from "./observed";
export * from "./registry";
export { MAX_NAME_BYTES, NAME_HEADER, NOT_IN_NAMES } from "./resourceName";
export * from "./rights";
export * from "./role";
export * from "./samples";
export { type SearchedText, searchedTexts } from "./searched";
export * from "./secrets";
export * from "./teams";
