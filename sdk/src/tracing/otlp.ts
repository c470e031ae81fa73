/**
 * Sends spans to a collector of OpenTelemetry: OTLP over HTTP, in JSON.
 *
 * Of our own, because we make few kinds of spans, and the packages of OpenTelemetry cost what installation
 * and start are measured by: some ten packages and 390 KB more in the one file that is installed; 10 to 16 MB
 * and more than 70 ms to load, in place of 2 to 5 MB and some 4 ms (`sdk-trace-base`, `otlp-exporter-base`
 * and what they need, minified; measured 2026-11-29 on 2 busy cores, Node 24).
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#otlphttp
 * @see https://www.w3.org/TR/trace-context/#traceparent-header
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import type { Attributes, Collector, Span, SpanFacts, Tracing } from "./span";

/** Spans that wait for a collector: about 2 MB. Later ones are dropped. */
const MAX_WAITING = 2048;
const MAX_BATCH = 512;
const CLOSE_MS = 2_000;
const MAX_WAIT_MS = 60_000;
const MAX_TEXT = 256;
/** All of our packages have one version. */
const VERSION = (require("../../package.json") as { version: string }).version;

const KINDS = { internal: 1, server: 2, client: 3 };
const FAILED = 2;
const SAMPLED = 1;

/** A span as OTLP writes it in JSON. */
interface Written {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly object[];
  readonly status: { readonly code?: number };
}

interface Place {
  readonly traceId: string;
  readonly spanId: string | undefined;
  readonly flags: number;
}

export class Otlp implements Tracing {
  readonly #within = new AsyncLocalStorage<Span & Place>();
  readonly #waiting: Written[] = [];
  readonly #waitMs: number;
  readonly #resource: object;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(
    private readonly collector: Collector,
    waitMs: number,
  ) {
    const { service } = collector;
    const delay = Number(process.env.OTEL_BSP_SCHEDULE_DELAY);
    this.#waitMs = delay > 0 ? Math.min(delay, MAX_WAIT_MS) : waitMs;
    this.#resource = {
      attributes: written({
        "service.name": service,
        "service.version": VERSION,
        "process.pid": process.pid,
      }),
    };
  }

  start(name: string, { kind, traceparent, agoMs = 0, attributes }: SpanFacts = {}): Span & Place {
    const parent = placeIn(traceparent) ?? this.#within.getStore();
    const traceId = parent?.traceId ?? randomBytes(16).toString("hex");
    const spanId = randomBytes(8).toString("hex");
    const flags = parent?.flags ?? SAMPLED;
    const began = Date.now() - agoMs;
    const clock = performance.now() - agoMs;
    let hasEnded = false;
    return {
      traceId,
      spanId,
      flags,
      traceparent: `00-${traceId}-${spanId}-${flags === SAMPLED ? "01" : "00"}`,
      end: (more = {}) => {
        if (hasEnded || flags !== SAMPLED) return;
        hasEnded = true;
        this.#keep({
          traceId,
          spanId,
          parentSpanId: parent?.spanId,
          name: more.name ?? name,
          kind: KINDS[kind ?? "internal"],
          startTimeUnixNano: nanoseconds(began),
          endTimeUnixNano: nanoseconds(began + performance.now() - clock),
          attributes: written({ ...attributes, ...more.attributes }),
          status: more.failed ? { code: FAILED } : {},
        });
      },
    };
  }

  within<T>(span: Span & Place, work: () => T): T {
    return this.#within.run(span, work);
  }

  current(): Span | undefined {
    return this.#within.getStore();
  }

  async close(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSE_MS);
    });
    await Promise.race([limit, this.#sendAll()]);
    clearTimeout(timer);
    this.collector.close();
  }

  #keep(span: Written): void {
    if (this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(span);
    if (this.#waiting.length >= MAX_BATCH) void this.#sendAll();
    else this.#timer ??= setTimeout(() => void this.#sendAll(), this.#waitMs).unref();
  }

  /** One batch at a time. What a collector did not take is dropped: it would only be older later. */
  #sendAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#drain().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const spans = this.#waiting.splice(0, MAX_BATCH);
      const scopeSpans = [{ scope: { name: "tunnelplane" }, spans }];
      const body = { resourceSpans: [{ resource: this.#resource, scopeSpans }] };
      await this.collector.send(JSON.stringify(body), "application/json");
    }
  }
}

const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-|$)/;

/** The caller's place in its trace; undefined if it told none, or not as W3C says. */
function placeIn(traceparent: string | undefined): Place | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec((traceparent ?? "").slice(0, MAX_TEXT)) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags ?? "", 16) & SAMPLED };
}

const nanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1000)) * 1000n);

const written = (attributes: Attributes): object[] =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === "number"
        ? { intValue: String(Math.round(value)) }
        : { stringValue: value.slice(0, MAX_TEXT) },
  }));
