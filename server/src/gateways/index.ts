/**
 * Answers gateways which credential may bind what, and keeps their reports on served edges. Other rooms
 * import from here only.
 */

export { authorize } from "./authorization";
export { observedAt, observedPage } from "./observed";
export {
  deleteGateway,
  forgetSilentGateways,
  gatewayAt,
  gatewayPage,
  portsOf,
  report,
} from "./reports";
export { AgentsOfGateways, bindsFor, servingOf } from "./serving";
export { endSession, endSilentSessions, KEPT_OUT_MS } from "./sessionEnds";
