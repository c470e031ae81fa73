import type { RetryHandler } from "undici";

type RetryOptions = RetryHandler.RetryOptions;

const MOST_RETRIES = 3;
const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 10_000;
/** A repeated request of these leaves the server as the first one did (RFC 9110 section 9.2.2). */
const IDEMPOTENT = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);
/** The connection was never made, so nothing was sent. */
const NEVER_SENT = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);
const LOST = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** What undici says of a failed try. */
interface FailedTry extends Error {
  readonly code?: string;
  readonly statusCode?: number;
  readonly headers?: Record<string, string | string[] | undefined>;
}

/**
 * When a request is sent again, in undici's terms: where that is safe only. A request that the server
 * says it refused unprocessed (429 and 503 with Retry-After) is safe whatever it is; one whose connection
 * broke only if repeating it changes nothing.
 */
export const retryOptions: RetryOptions = {
  throwOnError: false,
  statusCodes: [429, 503],
  maxRetries: MOST_RETRIES,
  retry(error, { state, opts }, done) {
    const delay = delayBeforeRetry(error as FailedTry, opts.method, state.counter);
    if (delay === undefined) done(error);
    else setTimeout(() => done(null), delay);
    return null;
  },
};

/** How long to wait before the next try, in milliseconds, or undefined to give up; `tries` have been made. */
function delayBeforeRetry(failed: FailedTry, method: string, tries: number): number | undefined {
  if (tries > MOST_RETRIES) return undefined;
  const backOff = FIRST_DELAY_MS * 2 ** (tries - 1);
  if (failed.statusCode === 429 || failed.statusCode === 503) {
    const asked = retryAfter(failed.headers?.["retry-after"]);
    return asked !== undefined && asked <= LONGEST_DELAY_MS ? Math.max(asked, backOff) : undefined;
  }
  // A refused connection is answered at once by whoever would have to start the server: one more try bridges a restart.
  if (NEVER_SENT.has(failed.code ?? "")) return tries === 1 ? backOff : undefined;
  return LOST.has(failed.code ?? "") && IDEMPOTENT.has(method) ? backOff : undefined;
}

/** Retry-After in milliseconds: seconds or a date (RFC 9110 section 10.2.3). */
function retryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
