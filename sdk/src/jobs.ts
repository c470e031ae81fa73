import "./nodeVersion";

/**
 * The mode of a {@link Job}:
 *
 * - `stopped`: no round begins by itself.
 * - `idle`: there is nothing to do until somebody wakes it.
 * - `gathering`: there is something to do; a short pause lets more work come together.
 * - `working`: a round is running.
 * - `stopping`: a round is running, and none will follow it.
 */
type State =
  | { readonly mode: "stopped" | "idle" }
  | { readonly mode: "gathering"; readonly timer: NodeJS.Timeout }
  | Working;

interface Working {
  mode: "working" | "stopping";
  readonly round: Promise<boolean>;
  /** The mode that follows. */
  next: "stopped" | "idle" | "gathering";
  /** The round after this one, for those who asked too late for this one. */
  further?: Promise<boolean>;
}

/** Work in the background. */
export interface JobOptions {
  /** What cannot be done when it fails: `order certificates`. */
  readonly name: string;
  /** How often to look for work, in milliseconds. Default: only when somebody wakes it. */
  readonly everyMs?: number;
  /** One round. Another follows if it returns `false`: there is more to do. */
  work(): unknown;
  /** How long to gather before a round, in milliseconds. Default: not at all. */
  pauseMs?(): number;
  /**
   * Takes the error of a round for which nobody waits, and what to say of it: `cannot order certificates`.
   * The next look tries again. Default: nobody hears of it.
   */
  onError?(error: unknown, message: string): void;
}

/** Work in rounds, one at a time: at an interval, and soon after somebody wakes it. */
export class Job {
  #state: State = { mode: "stopped" };
  #looking: NodeJS.Timeout | undefined;

  constructor(private readonly options: JobOptions) {}

  get mode(): State["mode"] {
    return this.#state.mode;
  }

  /** Works until {@link stop}. The first round begins after the interval, or when somebody wakes it. */
  start(): this {
    const { everyMs } = this.options;
    if (everyMs !== undefined) this.#looking ??= setInterval(() => this.wake(), everyMs).unref();
    const state = this.#state;
    if (state.mode === "stopped") this.#state = { mode: "idle" };
    else if (state.mode === "stopping" || (state.mode === "working" && state.next === "stopped")) {
      state.mode = "working";
      state.next = "idle";
    }
    return this;
  }

  /** Says that there is something to do: a round begins soon. */
  wake(): void {
    if (this.#state.mode === "idle") this.#gather();
    else if (this.#state.mode === "working" && this.#state.next === "idle") this.#state.next = "gathering";
  }

  /**
   * Does a round that begins after this call, at once if none is running; also while stopped.
   * @returns whether all is done
   */
  round(): Promise<boolean> {
    const state = this.#state;
    if (state.mode === "working" || state.mode === "stopping") {
      const again = () => this.round();
      state.further ??= state.round.then(again, again);
      return state.further;
    }
    if (state.mode === "gathering") clearTimeout(state.timer);
    const round = Promise.resolve()
      .then(() => this.options.work())
      .then(
        (isDone) => {
          this.#end(isDone !== false);
          return isDone !== false;
        },
        (error: unknown) => {
          this.#end(true);
          throw error;
        },
      );
    this.#state = { mode: "working", round, next: state.mode === "stopped" ? "stopped" : "idle" };
    return round;
  }

  /** Begins no further round, and waits for the one that is running. */
  async stop(): Promise<void> {
    clearInterval(this.#looking);
    this.#looking = undefined;
    const state = this.#state;
    if (state.mode === "working") state.mode = "stopping";
    else if (state.mode === "gathering") clearTimeout(state.timer);
    if (state.mode !== "stopping") this.#state = { mode: "stopped" };
    else await state.round.catch(() => undefined);
  }

  /** Resolves when no round is running or about to begin. */
  async idle(): Promise<void> {
    for (;;) {
      const state = this.#state;
      if (state.mode === "gathering") await this.#begin();
      else if ("round" in state) await state.round.catch(() => undefined);
      else return;
    }
  }

  #gather(): void {
    const pauseMs = this.options.pauseMs?.() ?? 0;
    this.#state = { mode: "gathering", timer: setTimeout(() => void this.#begin(), pauseMs) };
  }

  async #begin(): Promise<void> {
    const { name, onError } = this.options;
    await this.round().catch((error: unknown) => onError?.(error, `cannot ${name}`));
  }

  #end(isDone: boolean): void {
    const state = this.#state;
    if (!("round" in state)) return;
    if (state.mode === "stopping" || state.next === "stopped") this.#state = { mode: "stopped" };
    else if (state.next === "gathering" || !isDone) this.#gather();
    else this.#state = { mode: "idle" };
  }
}

/** Returns a function whose calls within this time lead to one call, at the end of it. */
export function gathered(ms: number, call: () => void): () => void {
  let isWaiting = false;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    setTimeout(() => {
      isWaiting = false;
      call();
    }, ms).unref();
  };
}
