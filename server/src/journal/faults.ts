// If a row in the middle was changed, every later row has a fault; a few are enough.
const SHOWN = 10;

/** Collects faults: the first ones in words, the rest as a number. */
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
