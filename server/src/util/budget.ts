import { type RequestError, refusalForNow } from "./requestError";

/** Whose work it is. Projects get their turns first, and within a project its owners. */
export interface Holder {
  readonly project: string;
  readonly owner: string;
}

interface BudgetOptions {
  /** The work in a refusal: `decisions of requests`. */
  readonly work: string;
  /** The limit on jobs that are in work at once. */
  readonly atOnce: number;
  /** The limit on jobs of one owner that wait. Default: none. */
  readonly maxWaiting?: number;
  /** How long a job may wait for its turn, in milliseconds. Default: until it comes. */
  readonly maxWaitMs?: number;
}

interface Waiting {
  begin(): void;
}

/**
 * Gives jobs their turns: however much others have queued, a project waits for at most one job of each other
 * project at a time, and an owner for one of each other owner of its project.
 */
export class Budget {
  /** By project and owner. Those whose turn is next are first. */
  readonly #queues = new Map<string, Map<string, Waiting[]>>();
  #working = 0;

  constructor(private readonly options: BudgetOptions) {}

  /** Whether a job would begin at once. */
  get isFree(): boolean {
    return this.#working < this.options.atOnce;
  }

  /**
   * Does a job when its turn comes.
   * @param gone aborts when nobody waits for the result any more
   * @throws RequestError if too many jobs of its owner wait, or it waited too long
   */
  async run<T>(holder: Holder, job: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    gone?.throwIfAborted();
    if (this.isFree) this.#working++;
    else await this.#turnOf(holder, gone);
    try {
      return await job();
    } finally {
      const next = this.#next();
      if (next) next.begin();
      else this.#working--;
    }
  }

  #turnOf({ project, owner }: Holder, gone?: AbortSignal): Promise<void> {
    const { maxWaiting, maxWaitMs, work } = this.options;
    const owners = this.#queues.get(project) ?? new Map<string, Waiting[]>();
    const queue = owners.get(owner) ?? [];
    if (maxWaiting !== undefined && queue.length >= maxWaiting)
      throw overloaded(`${maxWaiting} ${work} of this API key's owner wait already`);
    this.#queues.set(project, owners);
    owners.set(owner, queue);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { begin: () => end(resolve) };
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
      const limit =
        maxWaitMs === undefined
          ? undefined
          : setTimeout(
              () =>
                leaveFor(
                  overloaded(`This waited ${maxWaitMs / 1000} s for its turn: the server has many ${work}`),
                ),
              maxWaitMs,
            );
      gone?.addEventListener("abort", leave);
      queue.push(waiting);
    });
  }

  /** The next one, whose project and owner then stand behind the others. */
  #next(): Waiting | undefined {
    const [turn] = this.#queues;
    if (!turn) return undefined;
    const [project, owners] = turn;
    const [first] = owners;
    const [owner = "", queue = []] = first ?? [];
    const waiting = queue.shift();
    owners.delete(owner);
    if (queue.length > 0) owners.set(owner, queue);
    this.#queues.delete(project);
    if (owners.size > 0) this.#queues.set(project, owners);
    return waiting;
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
