import { Agent, type IncomingHttpHeaders, request as overHttp } from "node:http";
import { request as overHttps, Agent as TlsAgent } from "node:https";
import { urlToHttpOptions } from "node:url";

/** A request below a base URL. */
export interface Sent {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface RawAnswer {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface ConnectionOptions {
  /** How long to wait for the connection, for the answer, and between its parts, in milliseconds. */
  readonly timeoutMs: number;
  /** How many connections are kept open at most. */
  readonly connections: number;
}

/** The code of an error: no connection was made in time. */
export const NOT_CONNECTED = "TIMEOUT_OF_CONNECTION";
/** The code of an error: no answer came in time, or not all of it. */
export const NOT_ANSWERED = "TIMEOUT_OF_ANSWER";

const KEEP_ALIVE_MS = 30_000;

/**
 * Connections to one server, kept open between requests. On node:http: a short process such as a provider's
 * spends a third of what undici takes on loading it and on a hundred requests, and 30 MiB less (61 beside 171
 * ms; 2026-11-22, Node 24, 2 cores).
 */
export class Connections {
  /** Where the server is. */
  readonly #target: {
    readonly protocol?: string | null;
    readonly hostname?: string | null;
    readonly port?: string | number | null;
  };
  /** Before each path. */
  readonly #prefix: string;
  readonly #request: typeof overHttp;
  readonly #agent: Agent;
  readonly #timeoutMs: number;
  readonly #inFlight = new Set<Promise<unknown>>();

  /** @param base an address that begins with http:// or https:// */
  constructor(base: string, { timeoutMs, connections }: ConnectionOptions) {
    const url = new URL(base);
    const { protocol, hostname, port } = urlToHttpOptions(url);
    const isHttps = protocol === "https:";
    const options = {
      keepAlive: true,
      maxSockets: connections,
      maxFreeSockets: connections,
      timeout: KEEP_ALIVE_MS,
    };
    this.#target = { protocol, hostname, port };
    this.#prefix = url.pathname === "/" ? "" : url.pathname;
    this.#request = isHttps ? overHttps : overHttp;
    this.#agent = isHttps ? new TlsAgent(options) : new Agent(options);
    this.#timeoutMs = timeoutMs;
  }

  /** Sends a request once. Errors have a `code`: of the system, of OpenSSL, or one of those above. */
  send(sent: Sent): Promise<RawAnswer> {
    const answer = this.#exchange(sent).finally(() => this.#inFlight.delete(answer));
    this.#inFlight.add(answer);
    return answer;
  }

  /** Waits for the requests in flight, and closes the connections. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
    this.#agent.destroy();
  }

  #exchange({ method, path, headers, body, signal }: Sent): Promise<RawAnswer> {
    const timeout = this.#timeoutMs;
    return new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
      const outgoing = this.#request({
        ...this.#target,
        method,
        path: this.#prefix + path,
        headers: { ...headers, ...length },
        agent: this.#agent,
        signal,
        timeout,
      });
      outgoing.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part) => {
          text += part;
        });
        response.on("end", () =>
          resolve({ statusCode: response.statusCode ?? 0, headers: response.headers, text }),
        );
        response.on("error", reject);
      });
      outgoing.on("error", reject);
      outgoing.on("timeout", () => {
        const code = outgoing.socket?.connecting ? NOT_CONNECTED : NOT_ANSWERED;
        const error = Object.assign(new Error(`nothing came for ${timeout} ms`), { code });
        reject(error); // before the answer fails of it in other words
        outgoing.destroy(error);
      });
      outgoing.end(body);
    });
  }
}
