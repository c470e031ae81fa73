import { Budget, type Holder } from "./budget";
import { SLICE_MS } from "./slices";

/** Requests that begin in one turn of the event loop, unless they take longer than that together. */
const AT_ONCE = 16;
const MAX_WAIT_MS = 5_000;

/**
 * The turns of requests on the thread that answers. With many small requests, some begin in one turn of the
 * event loop, so that their commits are one. Those that came meanwhile are looked at before the next ones
 * begin.
 */
export class Turns {
  readonly #budget: Budget;
  #begin: (() => void) | undefined;
  #steps = 0;

  /** @param usedBy how many requests of a project are in flight */
  constructor(usedBy: (project: string) => number) {
    this.#budget = new Budget({ work: "requests", size: 1, maxWaitMs: MAX_WAIT_MS, usedBy });
  }

  /**
   * Resolves when a request may begin.
   * @throws RequestError if it waited too long
   */
  take(holder: Holder): Promise<void> {
    return this.#budget.run(holder, () => this.#step());
  }

  #step(): Promise<void> {
    return new Promise((resolve) => {
      this.#begin = resolve;
      if (this.#steps === 0) this.#prepareSteps();
    });
  }

  /** Node runs what a request does at once before the next step. */
  #prepareSteps(): void {
    let began: number | undefined;
    const step = () => {
      this.#steps--;
      began ??= performance.now();
      const begin = this.#begin;
      if (begin && performance.now() - began < SLICE_MS) {
        this.#begin = undefined;
        begin();
      } else if (begin && this.#steps === 0) this.#prepareSteps();
    };
    for (this.#steps = 0; this.#steps < AT_ONCE; this.#steps++) setImmediate(step);
  }
}
