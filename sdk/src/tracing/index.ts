import type { Span, SpanFacts, Tracing } from "./span";

export type { Span, SpanFacts, Tracing } from "./span";

let started: Tracing | undefined;

/** What was started in this process; undefined where nobody wants traces. */
export const tracing = (): Tracing | undefined => started;

/**
 * Starts to trace where `OTEL_EXPORTER_OTLP_ENDPOINT` is set; otherwise loads nothing. A second call in the
 * same process does nothing. A setting that cannot be used is a warning of the process, and nothing is traced.
 *
 * @param service what traces call the program, unless `OTEL_SERVICE_NAME` is set
 */
export function startTracing(service: string, version: string): void {
  if (started || !process.env.OTEL_EXPORTER_OTLP_ENDPOINT) return;
  const { Otlp, settingsFrom }: typeof import("./otlp") = require("./otlp");
  try {
    started = new Otlp(settingsFrom(process.env, service), version);
  } catch (error) {
    process.emitWarning(`Nothing is traced: ${(error as Error).message}`);
  }
}

/** Runs work within a span of its own, which ends with it. Without tracing, the span is one that nobody gets. */
export async function traced<T>(
  name: string,
  facts: SpanFacts,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  if (!started) return work(NO_SPAN);
  const span = started.start(name, facts);
  try {
    const result = await started.within(span, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end({ failed: true });
    throw error;
  }
}

const NO_SPAN: Span = { traceparent: "", end: () => undefined };
