import "./nodeVersion";

export { AuditLog, callerOf, type SearchOptions, searchFor } from "./client/apiClient";
export type { Credentials } from "./client/apiKeys";
export { ChangeSets } from "./client/changeSets";
export {
  Collection,
  Entries,
  type ListOptions,
  Module,
  type ReadAnswer,
  type ReadOptions,
  type WithName,
} from "./client/collection";
export { Deliveries } from "./client/deliveries";
export * from "./client/errors";
export { Events } from "./client/events";
export { type ExposureOptions, Exposures, type StoredExposure } from "./client/exposures";
export { type AgentProof, Gateways } from "./client/gateways";
export type * from "./client/generated";
export { type JobIdentity, jobIdentityIn } from "./client/jobIdentity";
export type { Ref } from "./client/ref";
export { NEVER_SENT, retryAfter } from "./client/retry";
export { loginsFile, type SavedLogin, savedLogin, saveLogin } from "./client/savedLogins";
export { ObservedCollection, TunnelSessions } from "./client/sessions";
export {
  type Answered,
  type ChangeAnswer,
  type DeletionAnswer,
  type RequestOptions,
  Transport,
  type TransportOptions,
  type WithFindings,
} from "./client/transport";
export * from "./generated";
