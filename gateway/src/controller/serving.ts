/** Whether Envoy has the declared objects. Times are in milliseconds. */
type State =
  /** Nothing was read yet. */
  | { readonly name: "empty" }
  /** Something changed or failed, and is served at this time. */
  | { readonly name: "waiting"; readonly at: number }
  /** Envoy is getting the objects as of an event; changes that come meanwhile wait for a time. */
  | { readonly name: "serving"; readonly sequence: number | undefined; readonly changedAt?: number }
  /** Envoy has got all objects. */
  | { readonly name: "served" };

/** The states of serving the declared objects. docs/architecture/gateway.md has a picture. */
export class Serving {
  #state: State = { name: "empty" };
  #outcome: "none" | "taken" | "refused" = "none";
  /** The last event whose objects Envoy got, whether it took them or not. */
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

  /** Objects changed: they are served at this time, or earlier if others wait already. */
  change(at: number): void {
    const state = this.#state;
    if (state.name === "serving") this.#state = { ...state, changedAt: Math.min(state.changedAt ?? at, at) };
    else this.#state = { name: "waiting", at: state.name === "waiting" ? Math.min(state.at, at) : at };
  }

  /**
   * Envoy gets all objects.
   *
   * @param sequence of the last event that was read in this run; undefined if none was
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
   * @param isPartial whether Envoy took everything but edges for which the search goes on
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
   * The last event that a report may name; none before anything was served.
   *
   * @param read the last event read
   */
  sequence(read: number): number | undefined {
    // Envoy does not need events that change nothing that it serves.
    if (this.#sequence !== undefined && this.#state.name === "served") this.#sequence = read;
    return this.#sequence;
  }
}
