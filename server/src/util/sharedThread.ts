import { present } from "@tunnelplane/sdk/contract";
import { Thread, type ThreadOptions } from "./thread";
import { Turns } from "./turns";

/** A thread that has nothing to do for this long is ended: it would keep the memory of its largest work. */
const IDLE_MS = 10_000;

/** The answer of a shared thread to an order: a result, or the error. */
export type SharedReport<Result> = { readonly found: Result } | { readonly failed: unknown };

interface Waiting<Order, Result> {
  readonly order: Order;
  resolve(found: Result): void;
  reject(error: unknown): void;
}

interface SharedThreadOptions<Order>
  extends Pick<ThreadOptions<unknown>, "file" | "name" | "task" | "resourceLimits"> {
  /** How long one order may take, and the error of one that takes longer. Default: as long as it takes. */
  readonly longest?: { readonly ms: number; readonly error: (order: Order) => Error };
}

/**
 * A thread that works for all owners. It has one order at a time, and owners take turns, so that no owner
 * delays the others. It starts with the first order. If it fails, its order fails too, and another thread
 * follows.
 */
export class SharedThread<Order, Result> {
  readonly #turns = new Turns<Waiting<Order, Result>>();
  readonly #thread: Thread<Order, SharedReport<Result>>;
  #current: Waiting<Order, Result> | undefined;
  #idle: NodeJS.Timeout | undefined;
  #limit: NodeJS.Timeout | undefined;

  constructor(private readonly options: SharedThreadOptions<Order>) {
    const { longest, ...thread } = options;
    this.#thread = new Thread({
      ...thread,
      isIdle: true,
      onReport: (report) => {
        const { resolve, reject } = this.#done();
        if ("found" in report) resolve(report.found);
        else reject(report.failed);
        this.#goOn();
      },
      onFailure: (error) => this.#fail(error),
    });
  }

  /** @param owner whose turn the order takes */
  run(owner: string, order: Order): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#turns.add(owner, { order, resolve, reject });
      this.#goOn();
    });
  }

  /** Whether an order would be begun at once. */
  get isFree(): boolean {
    return this.#current === undefined;
  }

  end(): Promise<void> {
    return this.#thread.end();
  }

  /** Hands the next order to the thread, unless it has one. */
  #goOn(): void {
    if (this.#current) return;
    this.#current = this.#turns.next();
    clearTimeout(this.#idle);
    if (!this.#current) {
      this.#idle = setTimeout(() => this.end(), IDLE_MS).unref();
      return;
    }
    const { longest } = this.options;
    const { order } = this.#current;
    if (longest) this.#limit = setTimeout(() => this.#cutOff(longest.error(order)), longest.ms).unref();
    this.#thread.send(order);
  }

  #cutOff(error: Error): void {
    // The next order gets a thread of its own.
    void this.#thread.end();
    this.#fail(error);
  }

  #fail(error: unknown): void {
    if (!this.#current) return;
    this.#done().reject(error);
    this.#goOn();
  }

  #done(): Waiting<Order, Result> {
    const waiting = present(this.#current);
    clearTimeout(this.#limit);
    this.#current = undefined;
    return waiting;
  }
}
