import { definitionNamed, endTimeOf } from "@tunnelplane/sdk/contract";
import type { Entry } from "../server/source";

/** Tells when objects have to be read again although nobody changed one: because one of them has ended. */
export class Ends {
  #times: readonly number[] = [];
  #lookedAt = 0;

  /** Takes what was read. */
  read(entries: readonly Entry[]): void {
    const times = entries.map(({ kind, fields }) => endTimeOf(definitionNamed(kind), { ...fields }));
    this.#times = times.filter((time) => time !== undefined).sort((a, b) => a - b);
  }

  /** Notes that they are being looked at. @param now in milliseconds since 1970 */
  look(now: number): void {
    this.#lookedAt = now;
  }

  /** Whether an object ended since the last look, or is in force again because the clock was set back. */
  isDue(now: number): boolean {
    return this.#endedBy(now) !== this.#endedBy(this.#lookedAt);
  }

  #endedBy(now: number): number {
    const first = this.#times.findIndex((time) => time > now);
    return first < 0 ? this.#times.length : first;
  }
}
