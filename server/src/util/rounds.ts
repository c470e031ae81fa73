/**
 * The state of {@link Rounds}:
 *
 * - `stopped`: no round begins by itself.
 * - `idle`: there is nothing to do until somebody wakes them.
 * - `gathering`: there is something to do; a short pause lets more work come together.
 * - `working`: a round is running.
 * - `stopping`: a round is running, and none will follow it.
 */
export type Mode = State["mode"];

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

interface RoundsOptions {
  /** One round. Returns whether everything is done; if not, another round follows. */
  work(): Promise<boolean>;
  /** How long to gather before a round, in milliseconds. */
  pauseMs(): number;
  /** How often to look for work, in milliseconds. */
  readonly pollMs: number;
  /** Takes the error of a round for which nobody waits. The next poll tries again. */
  onError(error: unknown): void;
}

/** Work that is done in rounds, one at a time, soon after somebody says that there is something to do. */
export class Rounds {
  #state: State = { mode: "stopped" };
  #poll: NodeJS.Timeout | undefined;

  constructor(private readonly options: RoundsOptions) {}

  get mode(): Mode {
    return this.#state.mode;
  }

  /** Works until {@link stop}. */
  start(): void {
    this.#poll ??= setInterval(() => this.wake(), this.options.pollMs).unref();
    const state = this.#state;
    if (state.mode === "stopped") this.#state = { mode: "idle" };
    else if (state.mode === "stopping" || (state.mode === "working" && state.next === "stopped")) {
      state.mode = "working";
      state.next = "idle";
    }
  }

  /** Says that there is something to do: a round begins soon. */
  wake(): void {
    if (this.#state.mode === "idle") this.#gather();
    else if (this.#state.mode === "working" && this.#state.next === "idle") this.#state.next = "gathering";
  }

  /** Does a round that begins after this call, at once if none is running; also while stopped. */
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
          this.#end(isDone);
          return isDone;
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
    clearInterval(this.#poll);
    this.#poll = undefined;
    const state = this.#state;
    if (state.mode === "working") state.mode = "stopping";
    else if (state.mode === "gathering") clearTimeout(state.timer);
    if (state.mode !== "stopping") this.#state = { mode: "stopped" };
    else await state.round.catch(() => undefined);
  }

  #gather(): void {
    const timer = setTimeout(() => this.round().catch(this.options.onError), this.options.pauseMs());
    this.#state = { mode: "gathering", timer };
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
