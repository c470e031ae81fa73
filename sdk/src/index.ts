import "./nodeVersion";

export type { Credentials } from "./client/apiKeys";
export { type AuditHead, AuditLog } from "./client/auditLog";
export { type Caller, type CallerProject, callerOf } from "./client/caller";
export {
  type ChangeSet,
  type ChangeSetRequest,
  type ChangeSetResult,
  type ChangeSetSummary,
  ChangeSets,
  type SetObject,
  type SetOperation,
} from "./client/changeSets";
export {
  Collection,
  Entries,
  type ListOptions,
  Module,
  type ReadAnswer,
  type ReadOptions,
  type WithName,
} from "./client/collection";
export { Deliveries, type EventDelivery, type EventDestinationTest } from "./client/deliveries";
export * from "./client/errors";
export { type Event, Events } from "./client/events";
export { type ExposureOptions, Exposures, type StoredExposure } from "./client/exposures";
export {
  type AgentProof,
  type BindAuthorization,
  type Gateway,
  type GatewayAgent,
  type GatewayEdge,
  type GatewayReport,
  type GatewayStatus,
  Gateways,
} from "./client/gateways";
export { type JobIdentity, jobIdentityIn } from "./client/jobIdentity";
export type { Ref } from "./client/ref";
export { NEVER_SENT } from "./client/retry";
export { loginsFile, type SavedLogin, savedLogin, saveLogin } from "./client/savedLogins";
export { type SearchOptions, type SearchResult, type SearchResults, searchFor } from "./client/search";
export {
  type Endpoint,
  ObservedCollection,
  type Tunnel,
  type TunnelSession,
  TunnelSessions,
} from "./client/sessions";
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
