/** Answers requests. Other rooms import from here only. */

export { buildApp } from "./app";
export type { RateLimitOptions } from "./limits/rateLimits";
export { RequestsUnderWay } from "./limits/requestsUnderWay";
export { readTls, type TlsFiles } from "./tls";
