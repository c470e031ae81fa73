import { randomBytes } from "node:crypto";

/**
 * A lane numbers the rows that one transaction after the other writes for the journal. The numbers advance
 * only with commits, so in each lane they have no gap, and a row that somebody deleted leaves one.
 */
export class Lane {
  readonly id = randomBytes(9).toString("base64url");
  #committed = 0;
  #drawn = 0;

  /** The next number, counted from 1. */
  draw(): number {
    return ++this.#drawn;
  }

  commit(): void {
    this.#committed = this.#drawn;
  }

  rollBack(): void {
    this.#drawn = this.#committed;
  }
}

/** The lanes of one process. There are as many as it ever had transactions at once. */
export class Lanes {
  readonly #free: Lane[] = [];

  /**
   * A lane for one transaction. Give it back when the transaction has certainly committed or rolled back.
   * Drop it if that is in doubt.
   */
  take(): Lane {
    return this.#free.pop() ?? new Lane();
  }

  giveBack(lane: Lane): void {
    this.#free.push(lane);
  }
}
