import { messageOf } from "@tunnelplane/sdk/contract";
import { type Keep, readKeptMap } from "../state/files";
import { waitAtMost } from "../waiting";
import { ask, type Reach } from "./ask";

const LOOK_EVERY_MS = 1000;
const AGAIN_MS = 30_000;
const MAX_CONCURRENT = 16;
/**
 * A document that arrives later is used then; meanwhile the gateway serves everything that does not need it.
 */
const PATIENCE_MS = 2000;

/** How documents are fetched and kept. */
export interface Fetching {
  readonly keep: Keep;
  /** The file with the authorities that servers are checked against. */
  readonly trust: string;
  readonly upstreams: Reach;
  readonly warn: (message: string) => void;
}

interface Options<Value> extends Fetching {
  /** The file that keeps the fetched documents. */
  readonly file: string;
  /** Words for the kind of document, before its name. */
  readonly what: string;
  readonly addressOf: (name: string) => string;
  /** Returns the parts of a document to keep. @throws saying what is wrong with it */
  readonly read: (answer: unknown, name: string) => Value;
  /**
   * Whether a kept value has all parts that are read today; if not, the document is fetched again. Default:
   * it has.
   */
  readonly isWhole?: (value: Value) => boolean;
}

/** Fetches documents, and keeps them: one that was fetched stays known while its server is down. */
export class Published<Value> {
  readonly known: Map<string, Value>;
  #wanted: ReadonlySet<string> = new Set();
  #triedAt = new Map<string, number>();
  readonly #asked = new Map<string, Promise<void>>();
  /** Whether a document was fetched since the last call of `want`. */
  hasNews = false;

  constructor(private readonly options: Options<Value>) {
    this.known = readKeptMap(options.file);
    setInterval(() => this.#askDue(), LOOK_EVERY_MS).unref();
  }

  /** Sets which documents to fetch, and waits a little for new ones. */
  async want(names: Iterable<string>): Promise<void> {
    this.#wanted = new Set(names);
    this.#triedAt = new Map([...this.#triedAt].filter(([name]) => this.#wanted.has(name)));
    this.hasNews = false;
    const fresh = this.#unknown().filter((name) => !this.#triedAt.has(name));
    if (fresh.length === 0) return;
    this.#askDue();
    await waitAtMost(PATIENCE_MS, Promise.all(fresh.map((name) => this.#asked.get(name))));
  }

  #unknown = (): string[] =>
    [...this.#wanted].filter((name) => {
      const value = this.known.get(name);
      return value === undefined || this.options.isWhole?.(value) === false;
    });

  /** New documents come first, so that slow servers do not delay them. */
  #askDue(): void {
    const now = Date.now();
    const due = this.#unknown()
      .filter((name) => !this.#asked.has(name) && now - (this.#triedAt.get(name) ?? 0) > AGAIN_MS)
      .sort((a, b) => (this.#triedAt.get(a) ?? 0) - (this.#triedAt.get(b) ?? 0));
    for (const name of due.slice(0, MAX_CONCURRENT - this.#asked.size)) {
      this.#triedAt.set(name, now);
      const asked = this.#ask(name).finally(() => {
        this.#asked.delete(name);
        this.#askDue();
      });
      this.#asked.set(name, asked);
    }
  }

  async #ask(name: string): Promise<void> {
    const { addressOf, trust, upstreams, read, warn, file, keep, what } = this.options;
    try {
      this.known.set(name, read(JSON.parse(await ask(addressOf(name), trust, upstreams)), name));
      this.hasNews = true;
      keep(file, JSON.stringify([...this.known].filter(([one]) => one === name || this.#wanted.has(one))));
    } catch (error) {
      warn(
        `${what} ${name} could not be read: ${messageOf(error)}. Routes that use it are refused until it can. Is it reachable from here, and trusted (--trust)? The gateway tries again every 30 s`,
      );
    }
  }
}
