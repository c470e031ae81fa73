import { Worker } from "node:worker_threads";
import type { EventDestinationTarget } from "@tunnelplane/sdk";
import { openTarget } from ".";
import { columnsOf, sentOf } from "./messages";
import type { Order, Report } from "./sender";
import { type Sent, type Target, TargetError, type TargetOptions } from "./target";

interface Waiting {
  /** How many events the batch has. */
  readonly count: number;
  resolve(sent: Sent[]): void;
  reject(error: unknown): void;
}

/**
 * Sends from its own thread: writing, signing and reading a request of hundreds of events takes milliseconds,
 * which would block the server's other requests. The thread starts with the first batch and ends with the
 * last target. If it fails, the batches under way fail too, and the next batch starts a new thread.
 */
export class TargetThread {
  readonly #open = new Set<number>();
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #numbers = 0;

  /** Opens a target as {@link openTarget} does, but for its `send`, which runs in the thread. */
  readonly openTarget = (of: EventDestinationTarget, options: TargetOptions): Target => {
    const described = openTarget(of, options);
    const target = ++this.#numbers;
    this.#open.add(target);
    let openedIn: Worker | undefined;
    return {
      ...described,
      send: async (events, signal) => {
        signal.throwIfAborted();
        const worker = this.#running();
        if (openedIn !== worker) tell(worker, { order: "open", target, of, options });
        openedIn = worker;
        const batch = ++this.#numbers;
        tell(worker, { order: "send", target, batch, columns: columnsOf(events) });
        return this.#answerTo(batch, events.length, worker, signal);
      },
      close: () => {
        this.#open.delete(target);
        if (this.#open.size === 0) this.#end();
        else if (openedIn && openedIn === this.#worker) tell(openedIn, { order: "close", target });
      },
    };
  };

  #running(): Worker {
    this.#worker ??= this.#start();
    return this.#worker;
  }

  #start(): Worker {
    const worker = new Worker(require.resolve("./sender"), { name: "targets" });
    let failure: unknown = new Error("the thread that sends events has ended");
    worker.on("message", (report: Report) => this.#hear(report));
    worker.on("error", (error) => {
      failure = error;
    });
    worker.on("exit", () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(failure);
      this.#waiting.clear();
    });
    return worker;
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #answerTo(batch: number, count: number, worker: Worker, signal: AbortSignal): Promise<Sent[]> {
    const cancel = () => tell(worker, { order: "cancel", batch });
    signal.addEventListener("abort", cancel);
    try {
      return await new Promise<Sent[]>((resolve, reject) => {
        this.#waiting.set(batch, { count, resolve, reject });
      });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  #hear(report: Report): void {
    const waiting = this.#waiting.get(report.batch);
    this.#waiting.delete(report.batch);
    if ("sent" in report) waiting?.resolve(sentOf(waiting.count, report.sent));
    else if ("refused" in report) waiting?.reject(new TargetError(report.refused.message, report.refused));
    else waiting?.reject(report.failed);
  }
}

const tell = (worker: Worker, order: Order): void => worker.postMessage(order);
