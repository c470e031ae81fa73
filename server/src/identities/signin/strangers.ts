/** Refused sign-ins of strangers that have a row each, in a window. */
const MAX_ROWS = 30;
const WINDOW_MS = 60_000;
/** Reasons that a row names. */
const MAX_REASONS = 10;

/**
 * Bounds what strangers write to the audit log: of a window's refused sign-ins the first few have a row each,
 * and one row counts the others.
 */
export class Strangers {
  #rows = 0;
  #others = 0;
  readonly #reasons = new Set<string>();
  #ending: NodeJS.Timeout | undefined;

  /** @param write writes the row that counts; its reasons are for the audit log */
  constructor(private readonly write: (about: readonly string[]) => Promise<void>) {}

  /** Whether a refusal has a row of its own; if not, it is counted. */
  hasRow(about: readonly string[]): boolean {
    this.#ending ??= setTimeout(() => void this.#end(), WINDOW_MS).unref();
    if (this.#rows < MAX_ROWS) {
      this.#rows++;
      return true;
    }
    this.#others++;
    for (const reason of about) if (this.#reasons.size < MAX_REASONS) this.#reasons.add(reason);
    return false;
  }

  close(): Promise<void> {
    clearTimeout(this.#ending);
    return this.#end();
  }

  async #end(): Promise<void> {
    const [count, reasons] = [this.#others, [...this.#reasons]];
    [this.#rows, this.#others, this.#ending] = [0, 0, undefined];
    this.#reasons.clear();
    if (count > 0) await this.write([`${count} more by strangers`, ...reasons]).catch(() => undefined); // the log of the server has them
  }
}
