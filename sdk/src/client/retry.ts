import type { RetryHandler } from "undici";

type RetryOptions = RetryHandler.RetryOptions;

const MOST_RETRIES = 3;
const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 10_000;
/** Idempotent methods (RFC 9110 section 9.2.2): sending one twice has the effect of sending it once. */
const IDEMPOTENT = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);
/** A request with this header is carried out once; repeated, it is given the first answer. */
export const IDEMPOTENCY_KEY = "idempotency-key";
/** The connection was never made, so nothing was sent. */
const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);
const LOST = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);
const TIMED_OUT = new Set(["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]);
/** With these statuses, the server may have done the work. */
const IN_DOUBT = [500, 502, 503, 504];

/** A failed try, as undici reports it. */
interface FailedTry extends Error {
  readonly code?: string;
  readonly statusCode?: number;
  readonly headers?: Record<string, string | string[] | undefined>;
}

/** The request that failed. */
interface Request {
  readonly method: string;
  readonly headers?: unknown;
}

/**
 * When undici repeats a request: only if that is safe. With 429 and 503 with Retry-After, the server says that it did
 * nothing, so every request may be repeated. If it is unknown whether the server did the work, only idempotent requests
 * are repeated.
 */
export const retryOptions: RetryOptions = {
  throwOnError: false,
  statusCodes: [429, ...IN_DOUBT],
  maxRetries: MOST_RETRIES,
  retry(error, { state, opts }, done) {
    const delay = delayBeforeRetry(error, opts, state.counter);
    if (delay === undefined) done(error);
    else setTimeout(() => done(null), delay);
    return null;
  },
};

/** How long to wait before the next try, in milliseconds, or undefined to give up; `tries` have been made. */
function delayBeforeRetry({ code = "", statusCode, headers }: FailedTry, request: Request, tries: number): number | undefined {
  if (tries > MOST_RETRIES) return undefined;
  const backOff = FIRST_DELAY_MS * 2 ** (tries - 1);
  const hasKey = IDEMPOTENCY_KEY in ((request.headers ?? {}) as object);
  const asked = retryAfter(headers?.["retry-after"]);
  if ((statusCode === 429 || statusCode === 503) && asked !== undefined) {
    if (asked > LONGEST_DELAY_MS) return undefined;
    // Adds up to the same time again at random, so that clients that were refused together do not all return together.
    return Math.max(asked, backOff) * (1 + Math.random());
  }
  // With an Idempotency-Key, a repetition gets the first answer.
  if (statusCode !== undefined) return hasKey && IN_DOUBT.includes(statusCode) ? backOff : undefined;
  // A refused connection fails at once; one more try bridges a restart of the server.
  if (NEVER_SENT.has(code)) return tries === 1 ? backOff : undefined;
  if (!hasKey && !IDEMPOTENT.has(request.method)) return undefined;
  // Many repetitions would only slow down a slow server further.
  if (TIMED_OUT.has(code)) return tries === 1 ? backOff : undefined;
  return LOST.has(code) ? backOff : undefined;
}

/** Retry-After in milliseconds: seconds or a date (RFC 9110 section 10.2.3). */
function retryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
