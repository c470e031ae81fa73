/** What a project has used counts half after this time. */
const HALF_LIFE_MS = 5_000;
/** A project that has used more than this lately is one of many jobs, or of long ones. */
const MUCH_MS = 500;
const MAX_REMEMBERED = 1_000;

/** How long the turns of projects took lately. */
export class RecentUse {
  readonly #used = new Map<string, { readonly ms: number; readonly at: number }>();

  isMuch(project: string): boolean {
    return this.#of(project) > MUCH_MS;
  }

  add(project: string, ms: number): void {
    const sum = this.#of(project) + ms;
    this.#used.delete(project);
    this.#used.set(project, { ms: sum, at: performance.now() });
    const [oldest] = this.#used.keys();
    if (this.#used.size > MAX_REMEMBERED && oldest !== undefined) this.#used.delete(oldest);
  }

  #of(project: string): number {
    const { ms = 0, at = 0 } = this.#used.get(project) ?? {};
    return ms * 0.5 ** ((performance.now() - at) / HALF_LIFE_MS);
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
