/**
 * The length of a window. A limited number of key exchanges may begin in each; one takes half a millisecond.
 */
const WINDOW_MS = 100;
const MAX_PER_ADDRESS = 20;
const MAX_TOTAL = 40;

/** Lets connections begin one after the other: addresses take turns, and none has more than its share. */
export class Pace {
  /** The connections that wait to begin, by address. `ConnectionLimits` bounds how many. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** How many of each address have begun in this window. */
  readonly #begun = new Map<string, number>();
  #all = 0;
  #window: NodeJS.Timeout | undefined;

  /** Calls back when the next connection of this address has its turn: at once if nobody waits. */
  wait(address: string, begin: () => void): void {
    const queue = this.#waiting.get(address);
    if (queue) queue.push(begin);
    else this.#waiting.set(address, [begin]);
    this.#go();
  }

  #go(): void {
    this.#window ??= setTimeout(() => this.#next(), WINDOW_MS).unref();
    for (let isFurther = true; isFurther && this.#all < MAX_TOTAL; ) {
      isFurther = false;
      for (const [address, queue] of [...this.#waiting]) {
        const begun = this.#begun.get(address) ?? 0;
        if (begun >= MAX_PER_ADDRESS || this.#all >= MAX_TOTAL) continue;
        this.#begun.set(address, begun + 1);
        this.#all++;
        isFurther = true;
        const begin = queue.shift();
        // Behind the others.
        this.#waiting.delete(address);
        if (queue.length > 0) this.#waiting.set(address, queue);
        begin?.();
      }
    }
  }

  #next(): void {
    this.#window = undefined;
    this.#begun.clear();
    this.#all = 0;
    if (this.#waiting.size > 0) this.#go();
  }

  close(): void {
    clearTimeout(this.#window);
    this.#waiting.clear();
  }
}
