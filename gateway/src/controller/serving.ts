/** Whether Envoy has what is declared. Times are in milliseconds. */
type State =
  /** Nothing was read yet. */
  | { readonly name: "empty" }
  /** Something changed or failed, and is served at a time. */
  | { readonly name: "waiting"; readonly at: number }
  /** Envoy is being given what was read up to an event; what changes meanwhile waits for a time. */
  | { readonly name: "serving"; readonly sequence: number | undefined; readonly changedAt?: number }
  /** Envoy was given all that was read. */
  | { readonly name: "served" };

/** The states of serving what is declared. docs/architecture/gateway.md has a picture. */
export class Serving {
  #state: State = { name: "empty" };
  #outcome: "none" | "taken" | "refused" = "none";
  /** The last event whose objects Envoy was given, whether it took them or not. */
  #sequence: number | undefined;

  get state(): State["name"] {
    return this.#state.name;
  }

  /** Whether Envoy took something in this run. */
  get hasServed(): boolean {
    return this.#outcome !== "none";
  }

  /** Whether Envoy took the newest configuration that it was given. */
  get isTaken(): boolean {
    return this.#outcome === "taken";
  }

  /** Objects changed: they are served at this time, or earlier where others wait already. */
  change(at: number): void {
    const state = this.#state;
    if (state.name === "serving") this.#state = { ...state, changedAt: Math.min(state.changedAt ?? at, at) };
    else this.#state = { name: "waiting", at: state.name === "waiting" ? Math.min(state.at, at) : at };
  }

  /**
   * Envoy is given all that was read.
   * @param sequence of the last event that was read; none of an earlier run
   */
  begin(sequence: number | undefined): void {
    this.#state = { name: "serving", sequence };
  }

  succeed(): void {
    this.#outcome = "taken";
    this.#end((changedAt) =>
      changedAt === undefined ? { name: "served" } : { name: "waiting", at: changedAt },
    );
  }

  /**
   * @param again when to try again
   * @param isPartial whether Envoy took all but edges that are still searched for
   */
  fail(again: number, isPartial: boolean): void {
    if (this.isTaken && !isPartial) this.#outcome = "refused";
    this.#end(() => ({ name: "waiting", at: again }));
  }

  #end(next: (changedAt: number | undefined) => State): void {
    if (this.#state.name !== "serving") throw new Error(`Nothing is being served: ${this.#state.name}`);
    this.#sequence = this.#state.sequence;
    this.#state = next(this.#state.changedAt);
  }

  /** @param isChanged whether something else changed that Envoy depends on */
  isDue(now: number, isChanged: (now: number) => boolean): boolean {
    if (this.#state.name === "waiting") return now >= this.#state.at;
    return this.#state.name === "served" && isChanged(now);
  }

  /** How long until it is due, at most this long. */
  dueIn(now: number, longest: number): number {
    return this.#state.name === "waiting" ? Math.min(Math.max(this.#state.at - now, 0), longest) : longest;
  }

  /**
   * The last event that a report may name; none before anything was served. @param read the last event read
   */
  sequence(read: number): number | undefined {
    // Events that change nothing of what is served need not be given to Envoy.
    if (this.#sequence !== undefined && this.#state.name === "served") this.#sequence = read;
    return this.#sequence;
  }
}
