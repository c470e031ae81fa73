/** How long a reading is trusted; a change on another server counts after this time. */
const TRUSTED_MS = 1000;

/**
 * Something small that many requests need: read again once a second, and where it is known to have changed.
 */
export class Recent<T> {
  #read: Promise<T> | undefined;
  #since = 0;

  constructor(private readonly read: () => Promise<T>) {}

  get(): Promise<T> {
    if (performance.now() - this.#since >= TRUSTED_MS) this.forget();
    this.#read ??= this.read().catch((error: unknown) => {
      this.forget();
      throw error;
    });
    return this.#read;
  }

  /** Call this after a change, before answering it. */
  forget(): void {
    this.#read = undefined;
    this.#since = performance.now();
  }
}
