import { setTimeout as sleep } from "node:timers/promises";
import { NOT_ANSWERED, NOT_CONNECTED, type RawAnswer, type Sent } from "./connections";

const MAX_RETRIES = 3;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 10_000;
/** Idempotent methods (RFC 9110 section 9.2.2): sending one twice has the effect of sending it once. */
const IDEMPOTENT = new Set(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]);
/** A request with this header is carried out once; repeated, it is given the first answer. */
export const IDEMPOTENCY_KEY = "idempotency-key";
/** Codes of errors where the connection was never made, so nothing was sent. */
export const NEVER_SENT: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  NOT_CONNECTED,
]);
const LOST = new Set(["ECONNRESET", "EPIPE"]);
/** With these statuses, the server may have done the work. */
const IN_DOUBT = [500, 502, 503, 504];

/** Why a try is not the last one. */
interface FailedTry {
  readonly code?: string | undefined;
  readonly statusCode?: number | undefined;
  readonly headers?: RawAnswer["headers"] | undefined;
}

/**
 * Sends a request, and again only if that is safe. With 429 and 503 with Retry-After, the server says that it
 * did nothing, so every request may be repeated. If it is unknown whether the server did the work, only
 * idempotent requests are repeated.
 *
 * @param isPatient whether the caller waits as long as Retry-After says by itself
 */
export async function withRetries(
  sent: Sent,
  send: (sent: Sent) => Promise<RawAnswer>,
  isPatient = false,
): Promise<RawAnswer> {
  for (let tries = 1; ; tries++) {
    const delayAfter = (failed: FailedTry) =>
      sent.signal?.aborted || (isPatient && askedWait(failed) !== undefined)
        ? undefined
        : delayBeforeRetry(failed, sent, tries);
    let delay: number | undefined;
    try {
      const answer = await send(sent);
      delay = delayAfter(answer);
      if (delay === undefined) return answer;
    } catch (error) {
      delay = delayAfter(error as FailedTry);
      if (delay === undefined) throw error;
    }
    await sleep(delay, undefined, { signal: sent.signal });
  }
}

/** How long to wait before the next try, in milliseconds, or undefined to give up; `tries` have been made. */
function delayBeforeRetry(
  { code = "", statusCode, headers }: FailedTry,
  request: Sent,
  tries: number,
): number | undefined {
  if (tries > MAX_RETRIES) return undefined;
  const backOff = FIRST_DELAY_MS * 2 ** (tries - 1);
  const hasKey = IDEMPOTENCY_KEY in request.headers;
  const asked = askedWait({ statusCode, headers });
  if (asked !== undefined) {
    if (asked > MAX_DELAY_MS) return undefined;
    // Adds up to the same time again at random, so that clients that were refused together do not all return
    // together.
    return Math.max(asked, backOff) * (1 + Math.random());
  }
  // With an Idempotency-Key, a repetition gets the first answer.
  if (statusCode !== undefined) return hasKey && IN_DOUBT.includes(statusCode) ? backOff : undefined;
  // A refused connection fails at once; one more try bridges a restart of the server.
  if (NEVER_SENT.has(code)) return tries === 1 ? backOff : undefined;
  if (!hasKey && !IDEMPOTENT.has(request.method)) return undefined;
  // Many repetitions would only slow down a slow server further.
  if (code === NOT_ANSWERED) return tries === 1 ? backOff : undefined;
  return LOST.has(code) ? backOff : undefined;
}

/** How long a server that did nothing asks to wait before the request is sent again, in milliseconds. */
export const askedWait = ({ statusCode, headers }: FailedTry): number | undefined =>
  statusCode === 429 || statusCode === 503 ? retryAfter(headers?.["retry-after"]) : undefined;

/** Retry-After in milliseconds: seconds or a date (RFC 9110 section 10.2.3). */
export function retryAfter(header: string | null | undefined): number | undefined {
  if (header == null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
