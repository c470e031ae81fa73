import { Crowds, Neighbours, RecentUse } from "./recentUse";
import { type RequestError, refusalForNow } from "./requestError";

/** Whose work it is. Projects get their parts first, and within a project its owners. */
export interface Holder {
  readonly project: string;
  readonly owner: string;
}

/** Gives a part back. Calling it twice does no harm. */
export type GiveBack = () => void;

interface BudgetOptions {
  /** What it is spent on, in a refusal: `decisions of requests`. */
  readonly work: string;
  /** How much there is: jobs that are in work at once, or bytes. Infinity for no limit. */
  readonly size: number;
  /**
   * Whether owners whose requests are often refused get half of their share for a while: that keeps a server
   * as busy, and what is accepted waits for fewer others. Default: false.
   */
  readonly shrinks?: boolean;
  /** The limit on jobs of one owner that wait. Default: none. */
  readonly maxWaiting?: number;
  /** How long a job may wait for its turn, in milliseconds. Default: until it comes. */
  readonly maxWaitMs?: number;
  /** How much of the server a project has in use. Default: its jobs here, waiting ones too. */
  readonly usedBy?: (project: string) => number;
}

interface RunOptions {
  /** Aborts when nobody waits for the result any more. */
  readonly gone?: AbortSignal | undefined;
  /** Instead of the budget's own limit. */
  readonly maxWaitMs?: number;
}

interface Held {
  amount: number;
  readonly owners: Map<string, number>;
}

interface Waiting {
  begin(giveBack: GiveBack): void;
}

/**
 * What a server can do at once, and who does how much of it. All limits of shares and turns are budgets, each
 * an object of its server.
 *
 * - {@link take} gives a part at once, or none: never so much to one project that nothing is left for others.
 * - {@link run} lets jobs wait for their turn. Projects take turns, and within a project its owners. Every
 *   other turn is for the project that uses least, so that one with few requests does not wait for a round of
 *   all others. Where there is more than one turn at once, one of them is kept for projects whose jobs were
 *   short lately.
 */
export class Budget {
  readonly #held = new Map<string, Held>();
  #inAll = 0;
  /** By project and owner. Those whose turn is next are first. */
  readonly #queues = new Map<string, Map<string, Waiting[]>>();
  readonly #used = new RecentUse();
  readonly #crowds = new Crowds();
  readonly #neighbours = new Neighbours();
  /** Turns of projects whose jobs were long lately. */
  #long = 0;
  /** Whether the next turn goes round, and not to the project that uses least. */
  #goesRound = true;

  constructor(private readonly options: BudgetOptions) {}

  get inAll(): number {
    return this.#inAll;
  }

  heldBy({ project, owner }: Holder): number {
    return this.#held.get(project)?.owners.get(owner) ?? 0;
  }

  heldByProject(project: string): number {
    return this.#held.get(project)?.amount ?? 0;
  }

  /** A fraction of it all, rounded up. */
  part(divisor: number): number {
    return Math.ceil(this.options.size / divisor);
  }

  /**
   * Takes a part, if the owner stays within its share. While others are there, what a project holds is at
   * most twice what it leaves: however many take as much as they can, something is left for one that has
   * nothing.
   *
   * @param share the limit for the owner. Default: none
   * @returns whose limit is reached, if there is no part for it
   */
  take(
    holder: Holder,
    { amount = 1, share = this.options.size } = {},
  ): GiveBack | "owner" | "project" | "all" {
    this.#neighbours.note(holder.project);
    const name = `${holder.project} ${holder.owner}`;
    const isCrowded = this.options.shrinks === true && this.#crowds.has(name);
    if (this.heldBy(holder) + amount > (isCrowded ? Math.ceil(share / 2) : share)) {
      if (this.options.shrinks) this.#crowds.refused(name);
      return "owner";
    }
    const left = this.options.size - this.#inAll - amount;
    if (left < 0) return "all";
    const ofProject = this.heldByProject(holder.project);
    const isLarge = ofProject > 0 && ofProject > 2 * left;
    return isLarge && this.#neighbours.has(holder.project) ? "project" : this.hold(holder, amount);
  }

  /** Counts a part whether or not it is within the limits. */
  hold({ project, owner }: Holder, amount = 1): GiveBack {
    const held = this.#held.get(project) ?? { amount: 0, owners: new Map<string, number>() };
    this.#held.set(project, held);
    const count = (more: number) => {
      this.#inAll += more;
      held.amount += more;
      const left = (held.owners.get(owner) ?? 0) + more;
      if (left > 0) held.owners.set(owner, left);
      else held.owners.delete(owner);
      if (held.owners.size === 0 && this.#held.get(project) === held) this.#held.delete(project);
    };
    count(amount);
    let isHeld = true;
    return () => {
      if (isHeld) count(-amount);
      isHeld = false;
    };
  }

  /** Whether a job would begin at once. */
  isFree({ project }: Holder): boolean {
    const { size } = this.options;
    return this.#inAll < size && (size === 1 || this.#long < size - 1 || !this.#used.isLong(project));
  }

  /**
   * Does a job when its turn comes.
   * @throws RequestError if too many jobs of its owner wait, or it waited too long
   */
  async run<T>(holder: Holder, job: () => Promise<T>, options: RunOptions = {}): Promise<T> {
    options.gone?.throwIfAborted();
    const giveBack = this.isFree(holder) ? this.#begin(holder) : await this.#turnOf(holder, options);
    try {
      return await job();
    } finally {
      giveBack();
      for (let next = this.#next(); next; next = this.#next()) next();
    }
  }

  #begin(holder: Holder): GiveBack {
    const isLong = this.#used.isLong(holder.project);
    if (isLong) this.#long++;
    const giveBack = this.hold(holder);
    const began = performance.now();
    return () => {
      if (isLong) this.#long--;
      this.#used.add(holder.project, performance.now() - began);
      giveBack();
    };
  }

  #turnOf({ project, owner }: Holder, { gone, ...options }: RunOptions): Promise<GiveBack> {
    const { maxWaiting, work } = this.options;
    const { maxWaitMs = this.options.maxWaitMs } = options;
    const owners = this.#queues.get(project) ?? new Map<string, Waiting[]>();
    const queue = owners.get(owner) ?? [];
    if (maxWaiting !== undefined && queue.length >= maxWaiting)
      throw overloaded(`${maxWaiting} ${work} of this API key's owner wait already`);
    this.#queues.set(project, owners);
    owners.set(owner, queue);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { begin: (giveBack) => end(() => resolve(giveBack)) };
      const end = (then: () => void) => {
        clearTimeout(limit);
        gone?.removeEventListener("abort", leave);
        then();
      };
      const leaveFor = (error: unknown) => {
        this.#remove(project, owner, waiting);
        end(() => reject(error));
      };
      const leave = () => leaveFor(gone?.reason);
      const tooLong = () =>
        leaveFor(
          overloaded(`This waited ${(maxWaitMs ?? 0) / 1000} s for its turn: the server has many ${work}`),
        );
      const isLimited = maxWaitMs !== undefined && maxWaitMs !== Number.POSITIVE_INFINITY;
      const limit = isLimited ? setTimeout(tooLong, maxWaitMs) : undefined;
      gone?.addEventListener("abort", leave);
      queue.push(waiting);
    });
  }

  /** Begins the next job, whose project and owner are then behind the others; undefined if none may begin. */
  #next(): (() => void) | undefined {
    const [project, owners] = this.#nextProject() ?? [];
    const [first] = owners ?? [];
    if (project === undefined || !owners || !first) return undefined;
    const [owner, queue] = first;
    const waiting = queue.shift();
    owners.delete(owner);
    if (queue.length > 0) owners.set(owner, queue);
    this.#queues.delete(project);
    if (owners.size > 0) this.#queues.set(project, owners);
    const giveBack = this.#begin({ project, owner });
    return () => waiting?.begin(giveBack);
  }

  #nextProject(): [project: string, owners: Map<string, Waiting[]>] | undefined {
    const { usedBy = (project: string) => this.#jobsOf(project) } = this.options;
    let next: [string, Map<string, Waiting[]>] | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const one of this.#queues) {
      const [project] = one;
      if (!this.isFree({ project, owner: "" })) continue;
      const used = this.#goesRound ? 0 : usedBy(project);
      if (used < least) [next, least] = [one, used];
      if (this.#goesRound) break;
    }
    if (next) this.#goesRound = !this.#goesRound;
    return next;
  }

  #jobsOf(project: string): number {
    let jobs = this.heldByProject(project);
    for (const queue of this.#queues.get(project)?.values() ?? []) jobs += queue.length;
    return jobs;
  }

  #remove(project: string, owner: string, waiting: Waiting): void {
    const owners = this.#queues.get(project);
    const queue = owners?.get(owner);
    const at = queue?.indexOf(waiting) ?? -1;
    if (!owners || !queue || at < 0) return;
    queue.splice(at, 1);
    if (queue.length === 0) owners.delete(owner);
    if (owners.size === 0) this.#queues.delete(project);
  }
}

const overloaded = (why: string): RequestError =>
  refusalForNow("overloaded", `${why}; nothing was changed. Try again shortly`);
