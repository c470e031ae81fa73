// A log that was cut in the middle has a fault in every row after; a few say enough.
const SHOWN = 10;

/** What is wrong: the first of it in words, the rest as a number. */
export class Faults {
  readonly #first: string[] = [];
  #count = 0;

  add(fault: string): void {
    if (this.#first.length < SHOWN) this.#first.push(fault);
    this.#count++;
  }

  get all(): readonly string[] {
    const more = this.#count - this.#first.length;
    return more > 0 ? [...this.#first, `and ${more} more`] : this.#first;
  }
}
