/** What gateways ask and report: which credential may bind what, which edges are served. Other rooms import from here only. */

export { authorize } from "./authorization";
export { forgetSilentGateways, gatewayAt, gatewayPage, type Report, report } from "./reports";
