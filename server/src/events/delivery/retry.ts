const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long to wait after the first failure, the second, and so on. The last value repeats. */
const DELAYS = [0, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR] as const;

// Spreads retries, so that events that failed together do not all come back at once.
const JITTER = 0.2;

/** The longest pause between two attempts. */
export const MAX_WAIT_MS = HOUR * (1 + JITTER);

/** An event becomes a dead letter this long after its first attempt. */
export const GIVE_UP_MS = 24 * HOUR;

export interface Failure {
  /** Number of attempts, this one included. */
  readonly attempts: number;
  readonly firstAttempt: Date;
  readonly permanent?: boolean;
  /** How long the service asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/**
 * When to retry after a failure; undefined means give up. The last attempt is 24 hours after the first.
 * @param random from 0 up to 1
 */
export function nextAttempt(
  { attempts, firstAttempt, permanent, retryAfterMs = 0 }: Failure,
  now: Date,
  random: number,
): Date | undefined {
  const end = firstAttempt.getTime() + GIVE_UP_MS;
  if (permanent || now.getTime() >= end) return undefined;
  const delay = DELAYS[Math.min(attempts, DELAYS.length) - 1] ?? HOUR;
  const wait = Math.max(delay * (1 - JITTER + 2 * JITTER * random), Math.min(retryAfterMs, HOUR));
  return new Date(Math.min(now.getTime() + wait, end));
}
