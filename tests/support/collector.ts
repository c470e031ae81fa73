import { setTimeout as sleep } from "node:timers/promises";
import { StandInServer } from "./standIn";

/** A span as a collector got it. */
export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: Readonly<Record<string, string>>;
  readonly status: { readonly code?: number };
  /** In milliseconds. */
  readonly duration: number;
}

/** Stands in for a collector of OpenTelemetry: keeps what it gets by OTLP, and reads what is JSON. */
export class CollectorStandIn {
  readonly spans: CollectedSpan[] = [];
  readonly headers: Record<string, unknown>[] = [];
  /** All bytes that arrived, a character each. */
  text = "";
  /** How it answers from now on. */
  status = 200;
  #server: StandInServer | undefined;

  static async start(): Promise<CollectorStandIn> {
    const collector = new CollectorStandIn();
    collector.#server = await StandInServer.start(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (request.url === "/v1/traces") collector.#take(request.headers, Buffer.concat(chunks));
      response.writeHead(request.url === "/v1/traces" ? collector.status : 404).end("{}");
    });
    return collector;
  }

  get url(): string {
    return this.#server?.url ?? "";
  }

  /** The environment of a program that sends its spans here, soon. */
  get env(): Record<string, string> {
    return { OTEL_EXPORTER_OTLP_ENDPOINT: this.url, OTEL_BSP_SCHEDULE_DELAY: "20" };
  }

  /** Waits for a span; the limit of the test ends that. */
  async span(isIt: (span: CollectedSpan) => boolean): Promise<CollectedSpan> {
    for (;;) {
      const found = this.spans.find(isIt);
      if (found) return found;
      await sleep(10);
    }
  }

  childrenOf = ({ spanId }: CollectedSpan): CollectedSpan[] =>
    this.spans.filter(({ parentSpanId }) => parentSpanId === spanId);

  #take(headers: Record<string, unknown>, body: Buffer): void {
    this.headers.push(headers);
    this.text += body.toString("latin1");
    if (this.status === 200 && headers["content-type"] === "application/json")
      this.spans.push(...JSON.parse(body.toString()).resourceSpans.flatMap(spansOf));
  }
}

// biome-ignore lint/suspicious/noExplicitAny: OTLP in JSON
function spansOf({ resource, scopeSpans }: any): CollectedSpan[] {
  const service = valuesOf(resource.attributes)["service.name"];
  // biome-ignore lint/suspicious/noExplicitAny: OTLP in JSON
  return scopeSpans.flatMap(({ spans }: any) =>
    // biome-ignore lint/suspicious/noExplicitAny: OTLP in JSON
    spans.map((span: any) => ({
      ...span,
      service,
      attributes: valuesOf(span.attributes),
      duration: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
    })),
  );
}

// biome-ignore lint/suspicious/noExplicitAny: OTLP in JSON
const valuesOf = (attributes: any[]): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));
