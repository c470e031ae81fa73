import type { Endpoints } from "./endpoints";

/** One event on its way to a destination. */
export interface Outgoing {
  /** The event's id, the same on every try. */
  readonly id: string;
  /** The id of the changed object: events of one object arrive in order. */
  readonly key: string;
  /** When the event was written: RFC 3339, UTC, milliseconds. */
  readonly time: string;
  /** The event, as JSON. */
  readonly body: string;
}

/** The result of sending one event. */
export type Sent =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** The service's answer, without secrets. */
      readonly error: string;
      /** The service is overloaded. */
      readonly throttled?: boolean;
      /** The service will never accept it. */
      readonly permanent?: boolean;
      /** The service is gone for good, and wants no events any more. */
      readonly gone?: boolean;
      /** How long the service asks us to wait, in milliseconds. */
      readonly retryAfterMs?: number;
    };

/** The limits of a service for one request. */
export interface Limits {
  /** How many events. */
  readonly count: number;
  /** How many bytes, as {@link DeliveryTarget.sizeOf} counts them. */
  readonly bytes: number;
  /** How many bytes one event may have. */
  readonly recordBytes: number;
}

/**
 * A service that takes events. It stores nothing and retries nothing; the caller sends failed events again.
 */
export interface DeliveryTarget {
  readonly limits: Limits;
  /**
   * Whether the service, when it refuses an event, refuses the rest of the batch too. Only then may a batch
   * hold several events of one object: other services may accept a later one and refuse an earlier one.
   */
  readonly atomic: boolean;
  /** How many bytes an event takes in a request. */
  sizeOf(event: Outgoing): number;
  /**
   * Sends a batch that keeps to the limits, and returns the result of each event, in order. An event that is
   * too large by itself is not sent, and is permanently refused.
   * @throws TargetError when the service accepted nothing, as far as we know; the signal's reason when the
   *   caller aborted
   */
  send(batch: readonly Outgoing[], signal: AbortSignal): Promise<Sent[]>;
  /** Closes its connections. */
  close(): void;
}

export interface TargetOptions {
  /** Addresses to use instead of the services' public ones. */
  readonly endpoints?: Endpoints;
  /** Whether a user's site may have an address in a private network. Default: false. */
  readonly allowPrivate?: boolean;
  /** How long a batch may take, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

export interface TargetErrorOptions {
  /** The service is overloaded. */
  readonly throttled?: boolean;
  /** The service refuses the keys, the role or their permissions; an admin has to change them. */
  readonly credentials?: boolean;
  /** The service refuses what is in the request: an event, or the size of all together. */
  readonly ofContent?: boolean;
  /** How long the service asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** The service did not accept a batch. The message says why and holds no secrets. */
export class TargetError extends Error {
  readonly throttled: boolean;
  readonly credentials: boolean;
  readonly ofContent: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    { throttled = false, credentials = false, ofContent = false, retryAfterMs }: TargetErrorOptions = {},
  ) {
    super(message);
    this.name = "TargetError";
    this.throttled = throttled;
    this.credentials = credentials;
    this.ofContent = ofContent;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Whether a status of HTTP refuses what is in the request, and not the request itself. */
export const isOfContent = (status: number): boolean => status === 400 || status === 413;

/** The error for a connection that failed without an answer. */
export function unreachable(error: unknown): TargetError {
  // For a host with several addresses, Node throws an error without a message that lists the failure of each.
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] };
  return new TargetError(
    `cannot be reached: ${message || errors?.map((each) => each.message).join("; ") || code}`,
  );
}

/**
 * The wait that headers ask for, in milliseconds: `Retry-After` (RFC 9110, seconds or a date), or else
 * `X-RateLimit-Reset` (seconds).
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): number | undefined {
  const text = String(headers["retry-after"] ?? headers["x-ratelimit-reset"] ?? "");
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
