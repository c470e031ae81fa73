/** A request to send again and again. In path and body, `{n}` counts the requests and `{id}` is the next of the ids. */
export interface Shot {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly body?: string;
  /** How often it is sent among the others; 1 by default. */
  readonly weight?: number;
}

/** What the generator is to send, and to whom. */
export interface LoadJob {
  /** Connections are shared out evenly among them. */
  readonly urls: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly shots: readonly Shot[];
  readonly ids?: readonly string[];
  readonly connections: number;
  /** Seconds that do not count, then seconds that do. */
  readonly warmUp: number;
  readonly seconds: number;
  /** Ends after so many requests instead. */
  readonly amount?: number;
  /** Where `{n}` begins. */
  readonly from: number;
  /** The class of status that is no error; 2 by default. */
  readonly expected?: number;
  /** Takes answers of 503 with Retry-After for refusals, counted apart, and says what a client does then. Without it, they are errors. */
  readonly refused?: "repeat at once" | "wait as told";
  /** The processes whose processor time is measured. */
  readonly pids: readonly number[];
}

/** What came back. */
export interface LoadResult {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Milliseconds from the beginning of what counts to the first answer that is no refusal. */
  readonly first: number;
  readonly refusedPerSecond: number;
  /** Milliseconds. */
  readonly refusedP99: number;
  /** Answers of another status, broken connections and timeouts. */
  readonly errors: number;
  /** Processor time for each request, in microseconds, all processes together. */
  readonly cpu: number | null;
  /** How many requests were sent in all, those of the warm-up included. */
  readonly sent: number;
}
