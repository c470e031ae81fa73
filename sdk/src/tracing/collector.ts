import { Agent as HttpAgent, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Collector } from "./span";

const SEND_MS = 10_000;
/** Further bodies are dropped while so many are on their way. */
const MAX_IN_FLIGHT = 8;

/**
 * The collector that the environment names.
 *
 * @throws Error with the setting to change
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function collectorFrom(environment: NodeJS.ProcessEnv, service: string): Collector {
  const {
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint = "",
    OTEL_EXPORTER_OTLP_HEADERS: headers = "",
    OTEL_SERVICE_NAME: name,
  } = environment;
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error(
      "OTEL_EXPORTER_OTLP_ENDPOINT must be the address of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318",
    );
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/v1/traces`;
  return new OverHttp(name || service, url, headersFrom(headers));
}

/** `name=value,name=value`, with values percent-encoded. */
function headersFrom(text: string): Record<string, string> {
  const parts = text.split(",").filter((part) => part.trim() !== "");
  const entries = parts.map((part) => /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/s.exec(part) ?? []);
  try {
    return Object.fromEntries(
      entries.map(([, name, value]) => {
        if (name === undefined || value === undefined) throw new Error("no name");
        return [name.toLowerCase(), decodeURIComponent(value.trim())];
      }),
    );
  } catch {
    // Without the text: it holds tokens.
    throw new Error("OTEL_EXPORTER_OTLP_HEADERS must be name=value,name=value with percent-encoded values");
  }
}

/** Through a proxy where `HTTPS_PROXY` and `NO_PROXY` want one. */
class OverHttp implements Collector {
  readonly #agent: HttpAgent | HttpsAgent;
  #inFlight = 0;
  #hasFailed = false;

  constructor(
    readonly service: string,
    private readonly url: URL,
    private readonly headers: Readonly<Record<string, string>>,
  ) {
    const options = { keepAlive: true, maxSockets: MAX_IN_FLIGHT, proxyEnv: process.env };
    this.#agent = url.protocol === "https:" ? new HttpsAgent(options) : new HttpAgent(options);
  }

  async send(body: string | Buffer, type: string): Promise<void> {
    if (this.#inFlight >= MAX_IN_FLIGHT) return this.#note("it is too slow");
    this.#inFlight++;
    this.#note(await this.#post(body, type).catch((error: Error) => error.message || "no answer"));
    this.#inFlight--;
  }

  #note(failure: string | undefined): void {
    if (failure !== undefined && !this.#hasFailed)
      process.emitWarning(
        `Traces are dropped: the collector at OTEL_EXPORTER_OTLP_ENDPOINT did not take them (${failure})`,
      );
    this.#hasFailed = failure !== undefined;
  }

  #post(body: string | Buffer, type: string): Promise<string | undefined> {
    const send = this.url.protocol === "https:" ? requestHttps : requestHttp;
    const headers = {
      ...this.headers,
      "content-type": type,
      "content-length": Buffer.byteLength(body),
    };
    const signal = AbortSignal.timeout(SEND_MS);
    return new Promise((resolve, reject) => {
      send(this.url, { method: "POST", headers, agent: this.#agent, signal }, (answer) => {
        const status = answer.statusCode ?? 0;
        answer.on("error", reject).on("end", () => resolve(status < 300 ? undefined : `status ${status}`));
        answer.resume();
      })
        .on("error", reject)
        .end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
