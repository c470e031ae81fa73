/** Delivers events from the journal to their targets. Other rooms import from here only. */

export { deliveryPage } from "./admin/deliveryPage";
export { type DeliveryMetric, deliveryMetrics } from "./admin/metrics";
export { pruneEvents } from "./admin/pruning";
export { replay } from "./admin/replay";
export { Dispatcher } from "./delivery/dispatcher";
export { CLOCKS_MS } from "./queue/clocks";
export { subscriptions } from "./subscriptions";
export { type Endpoints, parseEndpoints } from "./targets/endpoints";
