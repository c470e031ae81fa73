/** Gives back a place; to do so twice does no harm. */
export type GiveBack = () => void;

/** Places for what is done at once: so many in all, and of these a share for each holder. Whoever holds its share is refused, whatever is free. */
export class Slots {
  readonly #held = new Map<string, number>();
  #inAll = 0;

  /** @param limit how many places there are; 0 for no limit */
  constructor(private readonly limit: number) {}

  /** Part of the places, rounded up, so that there is always one. */
  part(divisor: number): number {
    return this.limit === 0 ? Number.POSITIVE_INFINITY : Math.ceil(this.limit / divisor);
  }

  heldBy(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }

  /** A place for a holder, unless all are taken or it holds its share. */
  take(holder: string, share: number): GiveBack | undefined {
    const held = this.heldBy(holder);
    if (held >= share || (this.limit > 0 && this.#inAll >= this.limit)) return undefined;
    this.#held.set(holder, held + 1);
    this.#inAll++;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#inAll--;
      const left = (this.#held.get(holder) as number) - 1;
      if (left > 0) this.#held.set(holder, left);
      else this.#held.delete(holder);
    };
  }
}
