import "../nodeVersion";

/**
 * Recorded traffic: how often which requests came, and what a change would do to them. Gateways write the
 * lines, reviews read them.
 */
export type { DamagedLine, OtherTraffic, TrafficCertificate, TrafficLine } from "./line";
export { LONGEST_LINE, readTraffic } from "./read";
