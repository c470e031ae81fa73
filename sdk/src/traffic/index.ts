import "../nodeVersion";

/**
 * Recorded traffic: which requests came, how often, and what a change would do to them. Gateways write the
 * lines, and reviews read them.
 */
export type { DamagedLine, OtherTraffic, TrafficCertificate, TrafficEntry, TrafficLine } from "./line";
export { MAX_LINE_LENGTH, readTraffic } from "./read";
export { replayTraffic } from "./replay";
export type { TrafficExample, TrafficReplay } from "./replayed";
