import { messageOf } from "@tunnelplane/sdk/contract";
import { Job } from "@tunnelplane/sdk/jobs";
import { type Keep, readKeptMap } from "../state/files";
import { waitAtMost } from "../waiting";
import { ask, type Reach } from "./ask";

const LOOK_EVERY_MS = 1000;
const AGAIN_MS = 30_000;
const MAX_CONCURRENT = 16;
/** How long a document is fresh that says nothing about it, and the least and the most that one can say. */
const FRESH_MS = 3_600_000;
const [MIN_FRESH_MS, MAX_FRESH_MS] = [10_000, 86_400_000];
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

/**
 * Fetches documents, again when they are no longer fresh, and keeps them: one that was fetched stays known
 * while its server is down.
 */
export class Published<Value> {
  readonly known: Map<string, Value>;
  #wanted: ReadonlySet<string> = new Set();
  /** Why the last try failed, by the name. */
  readonly unread = new Map<string, string>();
  #triedAt = new Map<string, number>();
  /** When what was fetched is no longer fresh. What an earlier run kept is not. */
  readonly #freshUntil = new Map<string, number>();
  /** Documents that may have changed since they were last read. */
  readonly #doubted = new Set<string>();
  readonly #asked = new Map<string, Promise<void>>();
  /** Whether a document was fetched since the last call of `want`. */
  hasNews = false;

  constructor(private readonly options: Options<Value>) {
    this.known = readKeptMap(options.file);
    new Job({
      name: "look for documents that are no longer fresh",
      everyMs: LOOK_EVERY_MS,
      work: () => this.#askDue(),
      onError: (error, message) => options.warn(`${message}: ${messageOf(error)}`),
    }).start();
  }

  /** Sets which documents to fetch, and waits a little for new ones. */
  async want(names: Iterable<string>): Promise<void> {
    this.#wanted = new Set(names);
    this.#triedAt = new Map([...this.#triedAt].filter(([name]) => this.#wanted.has(name)));
    this.hasNews = false;
    for (const name of [...this.#freshUntil.keys(), ...this.unread.keys()])
      if (!this.#wanted.has(name))
        for (const one of [this.#freshUntil, this.unread, this.#doubted]) one.delete(name);
    const fresh = [...this.#wanted].filter((name) => this.#isUnknown(name) && !this.#triedAt.has(name));
    if (fresh.length === 0) return;
    this.#askDue();
    await waitAtMost(PATIENCE_MS, Promise.all(fresh.map((name) => this.#asked.get(name))));
  }

  /** Fetches a document again that seems to have changed, now or 10 s after the last time. */
  askAgain(name: string): void {
    if (!this.#wanted.has(name) || this.#doubted.has(name)) return;
    this.#doubted.add(name);
    const waited = Date.now() - (this.#triedAt.get(name) ?? 0);
    setTimeout(() => this.#askDue(), Math.max(0, MIN_FRESH_MS - waited)).unref();
  }

  #isUnknown(name: string): boolean {
    const value = this.known.get(name);
    return value === undefined || this.options.isWhole?.(value) === false;
  }

  #isDue(name: string, now: number): boolean {
    const waited = now - (this.#triedAt.get(name) ?? 0);
    if (this.#doubted.has(name)) return waited >= MIN_FRESH_MS;
    if (this.#isUnknown(name) || this.unread.has(name)) return waited > AGAIN_MS;
    return waited >= MIN_FRESH_MS && now >= (this.#freshUntil.get(name) ?? 0);
  }

  /** New documents come first, so that slow servers do not delay them. */
  #askDue(): void {
    const now = Date.now();
    const due = [...this.#wanted]
      .filter((name) => !this.#asked.has(name) && this.#isDue(name, now))
      .sort((a, b) => (this.#triedAt.get(a) ?? 0) - (this.#triedAt.get(b) ?? 0));
    for (const name of due.slice(0, MAX_CONCURRENT - this.#asked.size)) {
      this.#triedAt.set(name, now);
      this.#doubted.delete(name);
      const asked = this.#ask(name).finally(() => {
        this.#asked.delete(name);
        this.#askDue();
      });
      this.#asked.set(name, asked);
    }
  }

  async #ask(name: string): Promise<void> {
    const { addressOf, trust, upstreams, read, warn, what } = this.options;
    try {
      const { status, text, maxAge } = await ask(addressOf(name), trust, upstreams);
      if (status !== 200) throw new Error(`it answered ${status}`);
      this.#take(name, read(JSON.parse(text), name));
      const forMs = maxAge === undefined ? FRESH_MS : maxAge * 1000;
      this.#freshUntil.set(name, Date.now() + Math.min(Math.max(forMs, MIN_FRESH_MS), MAX_FRESH_MS));
      if (this.unread.delete(name)) this.hasNews = true;
    } catch (error) {
      const message = messageOf(error);
      const isKnown = !this.#isUnknown(name);
      if (!isKnown && this.unread.get(name) !== message) this.hasNews = true;
      this.unread.set(name, message);
      warn(
        `${what} ${name} could not be read: ${message}. ${isKnown ? "What was read before is used until it can" : "Routes that use it are refused until it can"}. Is it reachable from here, and trusted (--trust)? The gateway tries again every 30 s`,
      );
    }
  }

  #take(name: string, value: Value): void {
    const { file, keep } = this.options;
    if (JSON.stringify(this.known.get(name)) === JSON.stringify(value)) return;
    this.known.set(name, value);
    this.hasNews = true;
    keep(file, JSON.stringify([...this.known].filter(([one]) => one === name || this.#wanted.has(one))));
  }
}
