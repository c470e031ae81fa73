import type * as All from "rate-limiter-flexible";

/** The parts that we use of a package whose index loads what it has for a dozen databases. */
export const BurstyRateLimiter: typeof All.BurstyRateLimiter =
  require("rate-limiter-flexible/lib/BurstyRateLimiter");
export const RateLimiterMemory: typeof All.RateLimiterMemory =
  require("rate-limiter-flexible/lib/RateLimiterMemory");
export const RateLimiterRes: typeof All.RateLimiterRes = require("rate-limiter-flexible/lib/RateLimiterRes");
export type BurstyRateLimiter = All.BurstyRateLimiter;
export type RateLimiterMemory = All.RateLimiterMemory;
export type RateLimiterRes = All.RateLimiterRes;
