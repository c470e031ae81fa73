/** With more refusals in a second, more clients wait than an owner has slots by default. */
const MOST_REFUSED = 64;
/** Clients that wait for `Retry-After` come back within it. */
const SECONDS = 3;

/**
 * Knows for which holders of slots more clients wait than get one. Such a holder gets fewer slots: those keep
 * the server as busy, and a request that is accepted waits for fewer others. It remembers holders for three
 * seconds.
 */
export class Crowds {
  #second = 0;
  /** Refusals in this second. */
  readonly #refused = new Map<string, number>();
  /** The last second in which a holder has fewer slots. */
  readonly #until = new Map<string, number>();

  /** Call this for each refusal. */
  refused(holder: string): void {
    this.#turn();
    const count = (this.#refused.get(holder) ?? 0) + 1;
    this.#refused.set(holder, count);
    if (count > MOST_REFUSED) this.#until.set(holder, this.#second + SECONDS);
  }

  /** A holder's share, given its usual one: half of that if many were refused lately. */
  shareOf(holder: string, usual: number): number {
    this.#turn();
    return this.#until.has(holder) ? Math.ceil(usual / 2) : usual;
  }

  #turn(): void {
    const second = Math.floor(performance.now() / 1000);
    if (second === this.#second) return;
    this.#second = second;
    this.#refused.clear();
    for (const [holder, until] of this.#until) if (until < second) this.#until.delete(holder);
  }
}
