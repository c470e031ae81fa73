import { existsSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, type Reach } from "./ask";
import type { Keep } from "./files";

const LOOK_EVERY_MS = 1000;
const AGAIN_MS = 30_000;
const MOST_AT_ONCE = 16;
/** What does not answer by then is used when it does; what is declared beside it waits no longer. */
const PATIENCE_MS = 2000;

/** What all that is published is asked with. */
export interface Asking {
  /** The folder where it is kept what was read. */
  readonly state: string;
  readonly keep: Keep;
  /** The file with the authorities that servers are checked against. */
  readonly trust: string;
  readonly upstreams: Reach;
  readonly complain: (message: string) => void;
}

interface Options<Value> extends Pick<Asking, "keep" | "trust" | "upstreams"> {
  /** Where it is kept what was read. */
  readonly file: string;
  readonly addressOf: (name: string) => string;
  /** What to know of an answer; throws what is wrong with it. */
  readonly read: (answer: unknown, name: string) => Value;
  /** Says that one was not read, and why. */
  readonly complain: (name: string, why: string) => void;
}

/** Reads documents of others, and remembers them: one that was read stays known while its server is down. */
export class Published<Value> {
  readonly known: Map<string, Value>;
  #wanted: ReadonlySet<string> = new Set();
  #triedAt = new Map<string, number>();
  readonly #asked = new Map<string, Promise<void>>();
  /** Whether something became known since what is wanted was said last. */
  hasNews = false;

  constructor(private readonly options: Options<Value>) {
    this.known = readKept(options.file);
    setInterval(() => this.#askDue(), LOOK_EVERY_MS).unref();
  }

  /**
   * Says what is wanted, and waits a little for what was never asked for. The rest is asked for every 30 s.
   */
  async want(names: Iterable<string>): Promise<void> {
    this.#wanted = new Set(names);
    this.#triedAt = new Map([...this.#triedAt].filter(([name]) => this.#wanted.has(name)));
    this.hasNews = false;
    const fresh = this.#unknown().filter((name) => !this.#triedAt.has(name));
    if (fresh.length === 0) return;
    this.#askDue();
    const waiting = new AbortController();
    const patience = sleep(PATIENCE_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([patience, Promise.all(fresh.map((name) => this.#asked.get(name)))]);
    waiting.abort();
  }

  #unknown = (): string[] => [...this.#wanted].filter((name) => !this.known.has(name));

  /** What was never asked for comes first, so that many that hang hold up nothing new. */
  #askDue(): void {
    const now = Date.now();
    const due = this.#unknown()
      .filter((name) => !this.#asked.has(name) && now - (this.#triedAt.get(name) ?? 0) > AGAIN_MS)
      .sort((a, b) => (this.#triedAt.get(a) ?? 0) - (this.#triedAt.get(b) ?? 0));
    for (const name of due.slice(0, MOST_AT_ONCE - this.#asked.size)) {
      this.#triedAt.set(name, now);
      const asked = this.#ask(name).finally(() => {
        this.#asked.delete(name);
        this.#askDue();
      });
      this.#asked.set(name, asked);
    }
  }

  async #ask(name: string): Promise<void> {
    const { addressOf, trust, upstreams, read, complain, file, keep } = this.options;
    try {
      this.known.set(name, read(JSON.parse(await ask(addressOf(name), trust, upstreams)), name));
      this.hasNews = true;
      keep(file, JSON.stringify([...this.known].filter(([one]) => one === name || this.#wanted.has(one))));
    } catch (error) {
      complain(name, (error as Error).message);
    }
  }
}

function readKept<Value>(file: string): Map<string, Value> {
  try {
    return new Map(existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as [string, Value][]) : []);
  } catch {
    return new Map(); // Damaged: they are asked for again.
  }
}
