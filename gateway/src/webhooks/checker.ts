import { rmSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import type { Objects } from "../envoy/model";
import { type Provider, WEBHOOK_SOCKET } from "../envoy/webhooks";

/** Who has to sign the requests of a route, by the route's id. */
export type Rules = ReadonlyMap<string, { readonly provider: Provider; readonly secret: string }>;

/** What the thread that checks signatures is started with. */
export interface ThreadData {
  /** The path of its socket. */
  readonly socket: string;
}

const THREAD = require.resolve("./thread");
/** Before a thread that failed is started anew. */
const PAUSE_MS = 500;

/**
 * Tells Envoy whether a service signed a request, on a socket beside those of agents. Anybody may send what
 * is checked, so a thread of its own does it, and agents go on meanwhile; it starts with the first route that
 * asks for it. While there is none, Envoy answers 503.
 */
export class WebhookChecker {
  #rules: Rules = new Map();
  #worker: Worker | undefined;
  #isStarted = false;
  #isStopped = false;
  readonly #data: ThreadData;

  /** @param folder of the sockets */
  constructor(folder: string) {
    this.#data = { socket: join(folder, WEBHOOK_SOCKET) };
    rmSync(this.#data.socket, { force: true });
  }

  /** Takes over what routes ask for now. Resolves once requests are checked. */
  async declare({ https_edge }: Objects): Promise<void> {
    this.#rules = new Map(
      https_edge.flatMap(({ routes }) =>
        routes.flatMap(({ id, webhook_verification: module }) =>
          module?.enabled && module.secret
            ? [[id, { provider: module.provider, secret: module.secret }] as const]
            : [],
        ),
      ),
    );
    if (this.#isStarted || this.#rules.size === 0) return this.#worker?.postMessage(this.#rules);
    this.#isStarted = true;
    await this.#start();
  }

  #start(): Promise<void> {
    rmSync(this.#data.socket, { force: true });
    const worker = new Worker(THREAD, { workerData: this.#data });
    this.#worker = worker;
    worker.postMessage(this.#rules);
    return new Promise((resolve, reject) => {
      worker.once("message", () => resolve());
      worker.on("error", reject); // of no effect once it listens
      worker.once("exit", () => {
        this.#worker = undefined;
        if (!this.#isStopped) setTimeout(() => this.#startAgain(), PAUSE_MS).unref();
      });
    });
  }

  #startAgain(): void {
    if (!this.#isStopped) this.#start().catch(() => undefined); // its end starts the next one
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#worker?.terminate();
    rmSync(this.#data.socket, { force: true });
  }
}
