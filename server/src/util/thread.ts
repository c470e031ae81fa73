import { getPriority, setPriority } from "node:os";
import { Worker, type WorkerOptions } from "node:worker_threads";

/**
 * A thread with this gets half of the time of one with the usual priority, where both want to run. It is no
 * lower because other programs of the machine run before it too.
 */
const LOWER = 3;
/** What Linux has as the lowest priority. */
const LOWEST = 19;

/**
 * Lets the thread that answers requests run before the one that calls this. Elsewhere than on Linux it would
 * lower the whole process.
 */
export function lowerPriority(): void {
  if (process.platform === "linux") setPriority(Math.min(LOWEST, getPriority() + LOWER));
}

export interface ThreadOptions<Report> extends WorkerOptions {
  /** The thread's file. */
  readonly file: string;
  /** What the thread does, for the error that it has ended: `checks bodies`. */
  readonly task: string;
  /** Whether a process that has nothing else to do may end. */
  readonly isIdle?: boolean;
  onReport(report: Report): void;
  /** Called when the thread has ended by itself: it will answer no message any more. */
  onFailure(error: unknown): void;
}

/** A worker thread that starts when it is first needed, and again after it has failed or was ended. */
export class Thread<Order, Report> {
  #worker: Worker | undefined;

  constructor(private readonly options: ThreadOptions<Report>) {}

  /** Sends a message; starts the thread if none runs. */
  send(order: Order): void {
    this.running().postMessage(order);
  }

  /** The thread. After a failure it is a new one, which has not got the messages of the former one. */
  running(): Worker {
    this.#worker ??= this.#start();
    return this.#worker;
  }

  /** The thread, if one runs. */
  get current(): Worker | undefined {
    return this.#worker;
  }

  async end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #start(): Worker {
    const { file, task, isIdle, onReport, onFailure, ...options } = this.options;
    const worker = new Worker(file, options);
    let failure: unknown = new Error(`the thread that ${task} has ended`);
    worker.on("message", (report: Report) => {
      if (this.#worker === worker) onReport(report); // one that was ended may still have sent a report
    });
    worker.on("error", (error) => {
      failure = error;
    });
    worker.on("exit", () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      onFailure(failure);
    });
    if (isIdle) worker.unref();
    return worker;
  }
}
