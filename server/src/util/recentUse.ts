/** The length of a project's longest job counts half after this time. */
const HALF_LIFE_MS = 5_000;
const LONG_MS = 500;
/** On a busy machine all jobs take long. One that is so many times shorter than the longest is not long. */
const SHORTER = 4;
const MAX_REMEMBERED = 1_000;

interface Job {
  readonly ms: number;
  readonly at: number;
}

const NONE: Job = { ms: 0, at: 0 };
const leftOf = ({ ms, at }: Job): number => ms * 0.5 ** ((performance.now() - at) / HALF_LIFE_MS);

/** How long the jobs of projects took lately. */
export class RecentUse {
  readonly #longest = new Map<string, Job>();
  #longestOfAll = NONE;

  isLong(project: string): boolean {
    const ms = this.#of(project);
    return ms > LONG_MS && SHORTER * ms > leftOf(this.#longestOfAll);
  }

  add(project: string, ms: number): void {
    const job = { ms: Math.max(this.#of(project), ms), at: performance.now() };
    if (job.ms > leftOf(this.#longestOfAll)) this.#longestOfAll = job;
    this.#longest.delete(project);
    this.#longest.set(project, job);
    const [oldest] = this.#longest.keys();
    if (this.#longest.size > MAX_REMEMBERED && oldest !== undefined) this.#longest.delete(oldest);
  }

  #of(project: string): number {
    return leftOf(this.#longest.get(project) ?? NONE);
  }
}

/** With more refusals in a second, more clients wait than an owner has slots by default. */
const MAX_REFUSED = 64;
/** Clients that wait for `Retry-After` come back within it. */
const CROWDED_S = 3;

/** Knows which holders were refused often lately: more clients wait than get a part. */
export class Crowds {
  #second = 0;
  /** Refusals in this second. */
  readonly #refused = new Map<string, number>();
  /** The last second in which a holder counts as crowded. */
  readonly #until = new Map<string, number>();

  /** Call this for each refusal. */
  refused(holder: string): void {
    this.#turn();
    const count = (this.#refused.get(holder) ?? 0) + 1;
    this.#refused.set(holder, count);
    if (count > MAX_REFUSED) this.#until.set(holder, this.#second + CROWDED_S);
  }

  has(holder: string): boolean {
    this.#turn();
    return this.#until.has(holder);
  }

  #turn(): void {
    const second = Math.floor(performance.now() / 1000);
    if (second === this.#second) return;
    this.#second = second;
    this.#refused.clear();
    for (const [holder, until] of this.#until) if (until < second) this.#until.delete(holder);
  }
}

/** Others than one project are there if they took something within this time. */
const THERE_MS = 10_000;

/** Knows whether others than one project were there lately. */
export class Neighbours {
  #last = { project: "", at: Number.NEGATIVE_INFINITY };
  /** The last one that was another one than the last. */
  #other = this.#last;

  note(project: string): void {
    if (project !== this.#last.project) this.#other = this.#last;
    this.#last = { project, at: performance.now() };
  }

  has(project: string): boolean {
    const { at } = this.#last.project === project ? this.#other : this.#last;
    return performance.now() - at < THERE_MS;
  }
}
