import type { Worker } from "node:worker_threads";
import { present } from "@tunnelplane/sdk/contract";
import { Budget, type Holder } from "./budget";
import { Thread, type ThreadOptions } from "./thread";

/** A thread that has nothing to do for this long is ended: it would keep the memory of its largest work. */
const IDLE_MS = 10_000;
/**
 * Work that nobody waits for any more is ended with its thread, unless it may end by itself within this time.
 */
const GRACE_MS = 500;

/** How often to look how much processor time an order has taken. */
const LOOK_EVERY_MS = 1_000;
/** How many times longer an order may take where threads wait for a processor. */
const BUSY = 3;

const NOTHING = { user: 0, system: 0 };

/** The processor time of a thread, in milliseconds; 0 where this version of Node does not tell it. */
const usedBy = async (worker: Worker | undefined): Promise<number> => {
  const { user, system } = (await worker?.cpuUsage?.().catch(() => undefined)) ?? NOTHING;
  return (user + system) / 1000;
};

/** The answer of a shared thread to an order: a result, or the error. */
export type SharedReport<Result> = { readonly found: Result } | { readonly failed: unknown };

interface Working<Result> {
  resolve(found: Result): void;
  reject(error: unknown): void;
}

export interface SharedThreadOptions<Order>
  extends Pick<ThreadOptions<unknown>, "file" | "name" | "task" | "resourceLimits"> {
  /** The work in a refusal: `decisions of requests`. */
  readonly work: string;
  /**
   * How many threads there may be. With two, one is kept for projects that have used little lately. Default:
   * one.
   */
  readonly threads?: number;
  /** How long an order may wait for its turn, in milliseconds. Default: until it comes. */
  readonly maxWaitMs?: number;
  /**
   * How much processor time one order may take, in milliseconds, and the error of one that takes more. On a
   * busy machine it may take three times as long. Default: as long as it takes.
   */
  readonly longest?: { readonly ms: number; readonly error: (order: Order) => Error };
}

interface RunOptions {
  /** Aborts when nobody waits for the result any more. */
  readonly gone?: AbortSignal | undefined;
  /** Instead of the threads' own limit. */
  readonly maxWaitMs?: number;
}

/**
 * Threads that work for everybody. Each has one order at a time; projects take turns, and within one its
 * owners. A thread starts with its first order. If it fails, its order fails too, and another thread follows.
 */
export class SharedThread<Order, Result> {
  readonly #budget: Budget;
  readonly #free: OneThread<Order, Result>[];
  readonly #all: readonly OneThread<Order, Result>[];

  constructor(options: SharedThreadOptions<Order>) {
    const { work, maxWaitMs, threads = 1 } = options;
    this.#budget = new Budget({ work, size: threads, ...(maxWaitMs !== undefined && { maxWaitMs }) });
    this.#all = Array.from({ length: threads }, () => new OneThread(options));
    this.#free = [...this.#all];
  }

  /**
   * @param holder whose turn the order takes
   * @param order or how it is made once its turn has come
   */
  run(holder: Holder, order: Order | (() => Promise<Order>), options: RunOptions = {}): Promise<Result> {
    const { gone } = options;
    return this.#budget.run(
      holder,
      async () => {
        const thread = present(this.#free.pop());
        try {
          return await thread.work(order instanceof Function ? await order() : order, gone);
        } finally {
          this.#free.push(thread);
        }
      },
      options,
    );
  }

  /** Whether an order would be begun at once. */
  isFree(holder: Holder): boolean {
    return this.#budget.isFree(holder);
  }

  async end(): Promise<void> {
    await Promise.all(this.#all.map((thread) => thread.end()));
  }
}

/** One of the threads. */
class OneThread<Order, Result> {
  readonly #thread: Thread<Order, SharedReport<Result>>;
  #current: Working<Result> | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(private readonly options: SharedThreadOptions<Order>) {
    const { longest: _, work: _work, maxWaitMs: _limit, threads: _count, ...thread } = options;
    this.#thread = new Thread({
      ...thread,
      isIdle: true,
      onReport: (report) => {
        const { resolve, reject } = present(this.#current);
        if ("found" in report) resolve(report.found);
        else reject(report.failed);
      },
      onFailure: (error) => this.#current?.reject(error),
    });
  }

  end(): Promise<void> {
    return this.#thread.end();
  }

  async work(order: Order, gone?: AbortSignal): Promise<Result> {
    gone?.throwIfAborted();
    clearTimeout(this.#idle);
    const { longest } = this.options;
    const began = performance.now();
    const timers: NodeJS.Timeout[] = [];
    let isDone = false;
    const cutOffAfter = (ms: number, error: () => unknown) =>
      timers.push(setTimeout(() => this.#cutOff(error()), ms).unref());
    const leave = () => cutOffAfter(Math.max(began + GRACE_MS - performance.now(), 0), () => gone?.reason);
    try {
      return await new Promise<Result>((resolve, reject) => {
        this.#current = { resolve, reject };
        gone?.addEventListener("abort", leave);
        this.#thread.send(order);
        if (!longest) return;
        const error = () => longest.error(order);
        const before = usedBy(this.#thread.current);
        const look = setInterval(async () => {
          const used = (await usedBy(this.#thread.current)) - (await before);
          if (used >= longest.ms && !isDone) this.#cutOff(error());
        }, LOOK_EVERY_MS).unref();
        timers.push(look);
        cutOffAfter(BUSY * longest.ms, error);
      });
    } finally {
      isDone = true;
      for (const timer of timers) clearTimeout(timer);
      gone?.removeEventListener("abort", leave);
      this.#current = undefined;
      this.#idle = setTimeout(() => this.end(), IDLE_MS).unref();
    }
  }

  /** The next order gets a thread of its own. */
  #cutOff(error: unknown): void {
    void this.#thread.end();
    this.#current?.reject(error);
  }
}
