/** Loops that run side by side. While some work, another waits for its service. */
export const CONCURRENCY = 3;

/** The longest rest, in milliseconds: as after failures, there is an attempt once an hour. */
export const MAX_REST_MS = 3600_000;

/**
 * The state of {@link Loops}:
 *
 * - `idle`: no loop runs, until somebody wakes them.
 * - `working`: some loops run, and another may begin.
 * - `full`: as many loops run as may.
 * - `woken`: as `full`, but there is something new to do: the loop that ends next looks again.
 * - `resting`: loops take nothing new for some time. Those that run end soon.
 * - `stopping`: loops still run. They take nothing new.
 * - `stopped`: no loop runs, and none will.
 */
export type Mode = State["mode"];

type State =
  | { readonly mode: "idle" | "working" | "full" | "woken" | "stopping" | "stopped" }
  | { readonly mode: "resting"; readonly until: number };

interface LoopsOptions<Work> {
  /** Finishes the work before, if any, and does the next; undefined when there is nothing left to do. */
  next(before: Work | undefined): Promise<Work | undefined>;
  readonly now: () => Date;
  /** Takes the error that ended a loop. */
  onError(error: unknown): void;
}

/** Work that goes on until there is nothing left to do, in a few loops side by side. */
export class Loops<Work> {
  readonly #running = new Set<Promise<void>>();
  #state: State = { mode: "idle" };

  constructor(private readonly options: LoopsOptions<Work>) {}

  get mode(): Mode {
    return this.#state.mode;
  }

  /** Says that there is something new to do. */
  wake(): void {
    this.#endRest();
    if (this.mode === "idle" || this.mode === "working") this.#start();
    else if (this.mode === "full") this.#state = { mode: "woken" };
  }

  /** Says that there is more to do than one loop has taken. */
  more(): void {
    if (this.mode === "working") this.#start();
  }

  /** Whether a loop may take something new. */
  get mayTake(): boolean {
    this.#endRest();
    return this.mode === "working" || this.mode === "full" || this.mode === "woken";
  }

  /** Takes nothing new for so many milliseconds, but for {@link MAX_REST_MS} at most. */
  rest(ms: number): void {
    if (this.mode === "stopping" || this.mode === "stopped") return;
    const until = this.options.now().getTime() + Math.min(ms, MAX_REST_MS);
    const before = this.#state.mode === "resting" ? this.#state.until : 0;
    this.#state = { mode: "resting", until: Math.max(before, until) };
  }

  /** Takes nothing new any more. */
  stop(): void {
    this.#state = { mode: this.#running.size > 0 ? "stopping" : "stopped" };
  }

  /** Resolves when no loop runs. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #start(): void {
    const loop = Promise.resolve()
      .then(() => this.#loop())
      .catch((error: unknown) => this.options.onError(error))
      .finally(() => this.#end(loop));
    this.#running.add(loop);
    this.#count();
  }

  async #loop(): Promise<void> {
    let work: Work | undefined;
    do {
      if (this.mode === "woken") this.#state = { mode: "full" };
      work = await this.options.next(work);
    } while (work);
  }

  #end(loop: Promise<void>): void {
    this.#running.delete(loop);
    if (this.mode === "woken") this.#start();
    else if (this.mode === "working" || this.mode === "full") this.#count();
    else if (this.mode === "stopping") this.stop();
  }

  /** To the mode for the number of loops. */
  #count(): void {
    const { size } = this.#running;
    this.#state = { mode: size === 0 ? "idle" : size < CONCURRENCY ? "working" : "full" };
  }

  #endRest(): void {
    if (this.#state.mode !== "resting") return;
    const left = this.#state.until - this.options.now().getTime();
    // A longer rest comes from a clock that was ahead then and has been corrected since.
    if (left <= 0 || left > MAX_REST_MS) this.#count();
  }
}
