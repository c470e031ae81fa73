/**
 * A request that is sent repeatedly. In path and body, `{n}` is the number of the request and `{id}` the next
 * of the ids.
 */
export interface Shot {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: string;
  /** The type of the body. Default: JSON. */
  readonly type?: string;
  /** Besides those of the job. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How often it is sent, relative to the others; 1 by default. */
  readonly weight?: number;
}

/** A job for the generator: which requests to send, and to which servers. */
export interface LoadJob {
  /** Connections are shared out evenly among them. */
  readonly urls: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** For https: what is trusted, and the name that is asked for. */
  readonly tls?: { readonly ca: string; readonly servername: string };
  readonly shots: readonly Shot[];
  readonly ids?: readonly string[];
  readonly connections: number;
  /** Seconds of warm-up, which are not measured, and seconds after it. */
  readonly warmUp: number;
  readonly seconds: number;
  /** If given, the job ends after so many requests and not by time. */
  readonly amount?: number;
  /** Milliseconds that each connection waits after an answer before it sends the next request; 0 by default. */
  readonly pause?: number;
  /** The first value of `{n}`. */
  readonly from: number;
  /** The class of status that counts as success; 2 by default. */
  readonly expected?: number;
  /**
   * How a client goes on after a 503 with Retry-After, which then counts as a refusal. If absent, it counts
   * as an error.
   */
  readonly refused?: "repeat at once" | "wait for Retry-After";
  /** The processes whose processor time is measured. */
  readonly pids: readonly number[];
}

/** The result of a job. */
export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds from the end of the warm-up to the first answer that is no refusal. */
  readonly first: number;
  readonly refusedPerSecond: number;
  /** Milliseconds. */
  readonly refusedP99: number;
  /** Answers of another status, broken connections and timeouts. */
  readonly errors: number;
  /** Processor time per request in microseconds, of all processes. */
  readonly cpu: number | null;
  /** The number of requests, including the warm-up. */
  readonly sent: number;
}
