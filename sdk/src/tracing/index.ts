import "../nodeVersion";
import type { Collector, Span, SpanFacts, Tracing } from "./span";

export type { Collector, Span, SpanFacts, Tracing } from "./span";

let started: Tracing | undefined;
let wasAsked = false;

/** What was started in this process; undefined where nobody wants traces. */
export const tracing = (): Tracing | undefined => started;

/**
 * Starts to trace where there is a collector, see {@link collectorFor}. A second call in a process does
 * nothing.
 *
 * @param service what traces call the program, unless `OTEL_SERVICE_NAME` is set
 * @param waitMs the longest that a span waits to be sent, in milliseconds, unless `OTEL_BSP_SCHEDULE_DELAY`
 * is set
 */
export function startTracing(service: string, waitMs = 5_000): void {
  const collector = wasAsked ? undefined : collectorFor(service);
  wasAsked = true;
  if (!collector) return;
  const { Otlp }: typeof import("./otlp") = require("./otlp");
  started = new Otlp(collector, waitMs);
}

/**
 * The collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names; undefined, and nothing loaded, where it is not set.
 * A setting that cannot be used is a warning of the process, and there is no collector.
 *
 * @param service what traces call the program, unless `OTEL_SERVICE_NAME` is set
 */
export function collectorFor(service: string): Collector | undefined {
  if (!process.env.OTEL_EXPORTER_OTLP_ENDPOINT) return undefined;
  const { collectorFrom }: typeof import("./collector") = require("./collector");
  try {
    return collectorFrom(process.env, service);
  } catch (error) {
    process.emitWarning(`Nothing is traced: ${(error as Error).message}`);
    return undefined;
  }
}

/** Runs work within a span of its own, which ends with it. Without tracing, nobody gets that span. */
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
