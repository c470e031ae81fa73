import { definitionNamed, endTimeOf } from "@tunnelplane/sdk/contract";
import type { Entry } from "../server/source";

/** When the objects that are served have to be looked at again though none changed: one of them ends. */
export class Ends {
  #times: readonly number[] = [];
  #lookedAt = 0;

  /** Takes what was read. */
  read(entries: readonly Entry[]): void {
    const times = entries.map(({ kind, fields }) => endTimeOf(definitionNamed(kind), { ...fields }));
    this.#times = times.filter((time) => time !== undefined).sort((one, other) => one - other);
  }

  /** They are looked at now. @param now in milliseconds since 1970 */
  look(now: number): void {
    this.#lookedAt = now;
  }

  /** Whether something ended since, or has not ended any more, because the clock went back. */
  isDue(now: number): boolean {
    return this.#endedBy(now) !== this.#endedBy(this.#lookedAt);
  }

  #endedBy(now: number): number {
    const first = this.#times.findIndex((time) => time > now);
    return first < 0 ? this.#times.length : first;
  }
}
