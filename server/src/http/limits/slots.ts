import { present } from "@tunnelplane/sdk/contract";
/** Frees a place. Calling it twice does no harm. */
export type GiveBack = () => void;

/** Limits work at once: in all, and for each holder to a share, even while other places are free. */
export class Slots {
  readonly #held = new Map<string, number>();
  #inAll = 0;

  /** @param limit how many places there are; 0 for no limit */
  constructor(private readonly limit: number) {}

  /** A fraction of the places, rounded up, so at least one. */
  part(divisor: number): number {
    return this.limit === 0 ? Number.POSITIVE_INFINITY : Math.ceil(this.limit / divisor);
  }

  heldBy(holder: string): number {
    return this.#held.get(holder) ?? 0;
  }

  /** Takes a place. Undefined if all are taken or the holder has its share. */
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
      const left = present(this.#held.get(holder)) - 1;
      if (left > 0) this.#held.set(holder, left);
      else this.#held.delete(holder);
    };
  }
}
