import { isIP } from "node:net";
import { messageOf } from "@tunnelplane/sdk/contract";
import { Job } from "@tunnelplane/sdk/jobs";
import { type Keep, readKeptMap } from "../state/files";
import { waitAtMost } from "../waiting";
import { lookup } from "./lookup";

/** Each name costs two DNS queries a minute. */
export const MAX_NAMES = 10_000;
/** The addresses of one name. Envoy tries them one after the other. */
const MAX_ADDRESSES = 16;
const LOOK_EVERY_MS = 5000;
/** How soon a name is looked up again, whatever its TTL says; looking every 5 s makes it a minute. */
const MIN_MS = 5000;
const MAX_MS = 55_000;
/** Limits thousands of names to 200 a second. */
const EACH_MS = 5;
/** Timers fire a little early at times. */
const EARLY_MS = 100;
/** At once, in each queue: names that cannot be resolved delay only each other. */
const AT_ONCE = 64;

interface Known {
  v4: readonly string[];
  v6: readonly string[];
  dueAt: number;
  /** The number of failures in a row. */
  failures: number;
  isWaiting: boolean;
}

interface Options {
  /** Where the last addresses are kept. */
  readonly file: string;
  readonly keep: Keep;
  readonly warn: (message: string) => void;
}

/** The addresses of names, kept up to date. A name that cannot be resolved any more keeps its last ones. */
export class Names {
  readonly #names = new Map<string, Known>();
  /** The addresses of the last run, until their names are wanted. */
  readonly #last: ReadonlyMap<string, readonly string[]>;
  readonly #queues = { known: this.#queue(), fresh: this.#queue(), failing: this.#queue() };
  readonly #firstTries = new Map<string, { readonly done: Promise<void>; readonly end: () => void }>();
  #isSaved = true;
  /** Whether the addresses of a name have changed since they were last used. */
  isChanged = false;

  constructor(private readonly options: Options) {
    this.#last = readKeptMap(options.file);
  }

  /** Keeps all up to date from now on, and on the disk. */
  follow(): void {
    new Job({
      name: "keep the addresses of names up to date",
      everyMs: LOOK_EVERY_MS,
      work: () => {
        this.#lookAtDue();
        this.#save();
      },
      onError: (error, message) => this.options.warn(`${message}: ${messageOf(error)}`),
    }).start();
  }

  /** Replaces the names that are kept. Waits for the addresses of new ones, but no longer than this. */
  async want(names: Iterable<string>, longestMs: number): Promise<void> {
    const wanted = new Set([...names].map((name) => name.toLowerCase()));
    for (const name of this.#names.keys()) if (!wanted.has(name)) this.#drop(name);
    const fresh = [...wanted].filter((name) => !this.#names.has(name));
    const taken = fresh.slice(0, Math.max(MAX_NAMES - this.#names.size, 0));
    if (taken.length < fresh.length)
      this.options.warn(
        `${wanted.size} names of backends are more than the ${MAX_NAMES} that a gateway resolves: use fewer, or addresses`,
      );
    for (const name of taken) this.#add(name);
    if (taken.length > 0) this.#lookAtDue();
    const unknown = taken
      .filter((name) => this.addressesOf(name)?.length === 0)
      .map((name) => this.#firstTries.get(name)?.done);
    if (unknown.length === 0) return;
    await waitAtMost(longestMs, Promise.all(unknown));
  }

  /** The known addresses; undefined for a name that is not kept. */
  addressesOf(name: string): readonly string[] | undefined {
    const known = this.#names.get(name.toLowerCase());
    return known && [...known.v4, ...known.v6].slice(0, MAX_ADDRESSES);
  }

  /** The same, after a new name was looked up. */
  async resolved(name: string): Promise<readonly string[]> {
    await this.#firstTries.get(name.toLowerCase())?.done;
    return this.addressesOf(name) ?? [];
  }

  #add(name: string): void {
    const last = this.#last.get(name) ?? [];
    const [v4, v6] = [last.filter((one) => isIP(one) === 4), last.filter((one) => isIP(one) === 6)];
    this.#names.set(name, { v4, v6, dueAt: 0, failures: 0, isWaiting: false });
    let end = (): void => undefined;
    const done = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#firstTries.set(name, { done, end });
  }

  #drop(name: string): void {
    this.#names.delete(name);
    this.#endFirstTry(name);
    this.#isSaved = false;
  }

  #endFirstTry(name: string): void {
    this.#firstTries.get(name)?.end();
    this.#firstTries.delete(name);
  }

  #lookAtDue(): void {
    const now = Date.now() + EARLY_MS;
    const due = [...this.#names]
      .filter(([, { dueAt, isWaiting }]) => dueAt <= now && !isWaiting)
      .sort(([, a], [, b]) => a.dueAt - b.dueAt);
    for (const [name, known] of due) {
      known.isWaiting = true;
      if (known.v4.length + known.v6.length > 0) this.#queues.known.add(name);
      else this.#queues[known.failures > 0 ? "failing" : "fresh"].add(name);
    }
  }

  #queue(): Queue {
    return new Queue(AT_ONCE, (name) => this.#look(name));
  }

  async #look(name: string): Promise<void> {
    const startedAt = Date.now();
    const known = this.#names.get(name);
    if (!known) return; // Nobody wants it any more.
    const { v4, v6, ttl, code } = await lookup(name);
    known.isWaiting = false;
    if (v4?.length || v6?.length) {
      const before = String(this.addressesOf(name));
      if (v4) known.v4 = inOneOrder(v4);
      if (v6) known.v6 = inOneOrder(v6);
      known.failures = 0;
      known.dueAt = startedAt + Math.min(Math.max(ttl * 1000, MIN_MS, this.#names.size * EACH_MS), MAX_MS);
      if (String(this.addressesOf(name)) !== before) {
        this.isChanged = true;
        this.#isSaved = false;
      }
    } else {
      known.failures++;
      known.dueAt = startedAt + Math.min(MIN_MS * 2 ** known.failures, MAX_MS);
      const addresses = this.addressesOf(name) ?? [];
      this.options.warn(
        `the name ${name} cannot be resolved (${code}): ${addresses.length > 0 ? "the gateway goes on using its last addresses" : "requests to it are refused until it can. Is it spelled correctly, and known on this machine?"}`,
      );
    }
    this.#endFirstTry(name);
  }

  #save(): void {
    if (this.#isSaved) return;
    this.#isSaved = true;
    try {
      this.options.keep(
        this.options.file,
        JSON.stringify([...this.#names.keys()].map((name) => [name, this.addressesOf(name)])),
      );
    } catch (error) {
      this.#isSaved = false;
      this.options.warn(`the addresses of names could not be kept: ${messageOf(error)}`);
    }
  }
}

/** Looks names up, each once and only so many at a time. */
class Queue {
  readonly #waiting = new Set<string>();
  #busy = 0;

  constructor(
    private readonly atOnce: number,
    private readonly work: (name: string) => Promise<void>,
  ) {}

  add(name: string): void {
    this.#waiting.add(name);
    this.#next();
  }

  #next(): void {
    for (const name of this.#waiting) {
      if (this.#busy >= this.atOnce) return;
      this.#waiting.delete(name);
      this.#busy++;
      void this.work(name).finally(() => {
        this.#busy--;
        this.#next();
      });
    }
  }
}

/** Servers answer in changing order. */
const inOneOrder = (addresses: readonly string[]): readonly string[] =>
  [...new Set(addresses)].sort().slice(0, MAX_ADDRESSES);
