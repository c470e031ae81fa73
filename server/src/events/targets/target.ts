import type { Endpoints } from "./endpoints";

/** One event on its way to a destination. */
export interface Outgoing {
  /** The event's id, the same on every try. */
  readonly id: string;
  /** The id of the object that it is about: events of one object arrive in order. */
  readonly key: string;
  /** When it happened, as the API says times: RFC 3339, UTC, milliseconds. */
  readonly time: string;
  /** The event, as JSON. */
  readonly body: string;
}

/** What became of one event. */
export type Sent =
  | { readonly ok: true }
  | {
      readonly ok: false;
      /** What the service said of it, without secrets. */
      readonly error: string;
      /** The service has too much to do at the moment. */
      readonly throttled?: boolean;
      /** It would never be accepted. */
      readonly permanent?: boolean;
    };

/** What a service takes in one request. */
export interface Limits {
  /** How many events. */
  readonly count: number;
  /** How many bytes, as {@link Target.sizeOf} counts them. */
  readonly bytes: number;
  /** How many bytes one event may have. */
  readonly recordBytes: number;
}

/** A place that events are sent to. It keeps nothing and repeats nothing: what failed is for the caller to send again. */
export interface Target {
  readonly limits: Limits;
  /**
   * Whether what is refused for now is always the end of a batch. Then several events of one object may go in one batch;
   * otherwise a later one might be accepted while an earlier one is not.
   */
  readonly atomic: boolean;
  /** How many bytes of a request an event takes. */
  sizeOf(event: Outgoing): number;
  /**
   * Sends a batch that keeps to the limits, and says what became of each event, in order. An event that is too large by
   * itself is not sent, and permanently refused.
   * @throws TargetError when nothing of it was accepted, as far as is known; the signal's reason when the caller gave up
   */
  send(batch: readonly Outgoing[], signal: AbortSignal): Promise<Sent[]>;
  /** Closes its connections. */
  close(): void;
}

export interface TargetOptions {
  /** Where services are reached instead of where their makers run them. */
  readonly endpoints?: Endpoints;
  /** Whether a site that a user names may lie in a private network. Default: it may not. */
  readonly allowPrivate?: boolean;
  /** How long a batch may take, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
}

export interface TargetErrorOptions {
  /** The service has too much to do at the moment. */
  readonly throttled?: boolean;
  /** The service refuses the keys, the role or what they may do: somebody has to change that. */
  readonly credentials?: boolean;
  /** How long the service wants to be left alone, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** A batch that was not accepted. Its message says why, and has no secrets. */
export class TargetError extends Error {
  readonly throttled: boolean;
  readonly credentials: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { throttled = false, credentials = false, retryAfterMs }: TargetErrorOptions = {}) {
    super(message);
    this.name = "TargetError";
    this.throttled = throttled;
    this.credentials = credentials;
    this.retryAfterMs = retryAfterMs;
  }
}

/** For a connection that failed: there was no answer. */
export function unreachable(error: unknown): TargetError {
  // Where a host has several addresses, Node reports each one's failure inside an error without words.
  const { message, code, errors } = error as Error & { code?: string; errors?: Error[] };
  return new TargetError(`cannot be reached: ${message || errors?.map((each) => each.message).join("; ") || code}`);
}

/** How long headers ask to wait, in milliseconds: `Retry-After` (RFC 9110) in seconds or as a date, or else `X-RateLimit-Reset` in seconds. */
export function retryAfterMs(headers: Readonly<Record<string, string | string[] | undefined>>): number | undefined {
  const text = String(headers["retry-after"] ?? headers["x-ratelimit-reset"] ?? "");
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
