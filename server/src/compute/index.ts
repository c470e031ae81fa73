import { Decisions } from "./decisions";
import { Judging } from "./judging";
import { Validation } from "./validation";

/** The threads of a server. Each begins with its first order. */
export class Compute {
  readonly bodies: Validation;
  readonly decisions = new Decisions();
  readonly guarantees = new Judging();

  /** @param allowPrivate whether this server reads from addresses that are not on the internet */
  constructor(allowPrivate?: boolean) {
    this.bodies = new Validation(allowPrivate);
  }

  async close(): Promise<void> {
    await Promise.all([this.bodies.close(), this.decisions.close(), this.guarantees.close()]);
  }
}

/**
 * Work that takes long, in threads of its own: checks bodies, decides requests and judges guarantees. Other
 * rooms import from here only.
 */

export { type Contradiction, contradictionAmong, type GuaranteesToCompare } from "./contradictions";
export { TooLong } from "./judging";
export type { ChangeToJudge, StatesToJudge } from "./judgingWorker";
export type { Findings, Purpose } from "./validate";
