/** The facts about a span that are known when it begins. */
export interface SpanFacts {
  /** What it is by OpenTelemetry. Default: work inside of this program. */
  readonly kind?: "server" | "client";
  /** The caller's header `traceparent`. Default: the span that the calling code runs within. */
  readonly traceparent?: string | undefined;
  /** How long ago it began, in milliseconds. Default 0. */
  readonly agoMs?: number;
  /** Nothing secret, and nothing that a stranger chose. */
  readonly attributes?: Attributes;
}

export type Attributes = Readonly<Record<string, string | number>>;

/** A piece of work with a beginning and an end, in a trace of several programs. */
export interface Span {
  /** What goes to the next program as header `traceparent`, by W3C Trace Context. */
  readonly traceparent: string;
  /** Ends it; what is known only now is added. A second end does nothing. */
  end(more?: { readonly name?: string; readonly attributes?: Attributes; readonly failed?: boolean }): void;
}

/** Where OpenTelemetry is sent. */
export interface Collector {
  /** What traces call the program. */
  readonly service: string;
  /** Sends a body of OTLP. Never rejects; of failures in a row, the first is a warning. */
  send(body: string | Buffer, type: string): Promise<void>;
  close(): void;
}

/** Makes spans, and sends them to a collector. */
export interface Tracing {
  start(name: string, facts?: SpanFacts): Span;
  /** Runs work within a span, also what it awaits: spans that start there are its children. */
  within<T>(span: Span, work: () => T): T;
  /** The span that the calling code runs within. */
  current(): Span | undefined;
  /** Sends what waits, for at most two seconds. */
  close(): Promise<void>;
}
