/** Answers requests. Other rooms import from here only. */

export { buildApp } from "./app";
export type { RateLimitOptions } from "./limits/rateLimits";
export { RequestsInFlight } from "./limits/requestsInFlight";
export { readTls, type TlsFiles } from "./tls";
