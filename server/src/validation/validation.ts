import { Worker } from "node:worker_threads";
import { type Findings, type Purpose, validate } from "./validate";
import type { Order, Report } from "./worker";

/**
 * What is checked at once, in characters of JSON. Some thirty patterns of the largest program fit into it; one takes 1.2 ms once
 * the compiler is warm, and 30 ms the first time (measured 2026-11-22 on 2 cores, Node 24).
 */
const SMALL = 400;
/** In MiB. Chosen with room to spare for bodies of 1 MiB, not measured. */
const MOST_MEMORY = 256;

interface Waiting {
  resolve(found: Findings): void;
  reject(error: unknown): void;
}

/**
 * Checks bodies against the contract; all but small ones in a thread of its own, so that no body holds up everybody else. How many
 * wait is bounded by how many requests are worked on at once. The thread starts with the first of them; one that fails fails what
 * waits for it, and is followed by another.
 */
export class Validation {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #numbers = 0;

  async validate(purpose: Purpose, body: unknown): Promise<Findings> {
    const json = JSON.stringify(body);
    if (json.length <= SMALL) return validate(purpose, body);
    this.#worker ??= this.#start();
    const order: Order = { ...purpose, number: ++this.#numbers, json };
    this.#worker.postMessage(order);
    return new Promise((resolve, reject) => {
      this.#waiting.set(order.number, { resolve, reject });
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(require.resolve("./worker"), { name: "validation", resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY } });
    let failure: unknown = new Error("the thread that checks bodies has ended");
    worker.on("message", (report: Report) => this.#hear(report));
    worker.on("error", (error) => {
      failure = error;
    });
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(failure);
      this.#waiting.clear();
    });
    worker.unref();
    return worker;
  }

  #hear(report: Report): void {
    const waiting = this.#waiting.get(report.number);
    this.#waiting.delete(report.number);
    if ("found" in report) waiting?.resolve(report.found);
    else waiting?.reject(report.failed);
  }
}
