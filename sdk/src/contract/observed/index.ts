/** Things that gateways see and nobody declares: the API only answers them. names.md. */

export { OBSERVED, type Observed, type ObservedKind } from "./kinds";
export {
  SESSION_EVENTS,
  SESSION_STARTED,
  SESSION_STOPPED,
  type StopReason,
  sessionId,
} from "./sessionEvents";
export { OBSERVED_SCHEMAS } from "./shapes";
