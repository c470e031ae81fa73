import { Job } from "@tunnelplane/sdk/jobs";
import type { Store } from "../storage";
import { headOf } from "./head";

/** How often to look for changes that other servers made. */
const LOOK_EVERY_MS = 250;

interface Wait {
  /** The last sequence that the request knows already. */
  readonly head: number;
  end(): void;
}

/**
 * Lets requests wait for the next change. However many wait, the end of the log is read once for all of them:
 * at once after a change by this server, and four times a second for those of others.
 */
export class EventWaits {
  readonly #waits = new Set<Wait>();
  /** Stopped while no request waits. */
  // If the database does not answer, each request finds that out when its time is over and it reads.
  readonly #looks = new Job({
    name: "look for changes",
    everyMs: LOOK_EVERY_MS,
    work: () => this.#look(),
  });
  /** Whether no request waits any more, because the server stops. */
  closed = false;

  constructor(private readonly store: Store) {}

  /**
   * Resolves when the log goes on after `head`, when the time is over, when the signal comes, or when the
   * server stops.
   */
  after(head: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.closed || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(late);
        signal.removeEventListener("abort", end);
        this.#waits.delete(wait);
        if (this.#waits.size === 0) void this.#looks.stop();
        resolve();
      };
      const wait = { head, end };
      const late = setTimeout(end, ms);
      signal.addEventListener("abort", end);
      this.#waits.add(wait);
      this.#looks.start();
      this.wake();
    });
  }

  /** Call this after each commit. */
  wake(): void {
    this.#looks.wake();
  }

  async #look(): Promise<void> {
    const head = await headOf(this.store.reader);
    for (const wait of [...this.#waits]) if (head && head.sequence !== wait.head) wait.end();
  }

  close(): void {
    this.closed = true;
    for (const wait of [...this.#waits]) wait.end();
  }
}
