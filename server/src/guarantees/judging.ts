import { present } from "@tunnelplane/sdk/contract";
import type { BrokenGuarantee, GuaranteeState } from "@tunnelplane/sdk/meaning";
import { type Holder, refusalForNow, SharedThread } from "../util";
import type { Contradiction, GuaranteesToCompare } from "./contradictions";
import type { JudgingAnswer, JudgingOrder, StatesToJudge } from "./worker";

/** As for other decisions; see `decisions/`. */
const MAX_MS = 10_000;
const MAX_WAIT_MS = 5_000;
/** In MiB; for 20,000 objects, which take some 100 (chosen with room to spare). */
const MOST_MEMORY = 512;
const MOST_YOUNG = 32;

const newThread = (name: string, work: string) =>
  new SharedThread<JudgingOrder, JudgingAnswer>({
    file: require.resolve("./worker"),
    name,
    task: "judges guarantees",
    work,
    maxWaitMs: MAX_WAIT_MS,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY, maxYoungGenerationSizeMb: MOST_YOUNG },
    longest: {
      ms: MAX_MS,
      error: () =>
        refusalForNow(
          "overloaded",
          `It took longer than ${MAX_MS / 1000} s to judge guarantees; nothing was changed. Change less at once`,
        ),
    },
  });

/** Judges guarantees in threads of their own, so that questions keep no change waiting, of whatever kind. */
export class Judging {
  readonly #thread = newThread("guarantees", "changes to judge by guarantees");
  readonly #reading = newThread("states", "guarantees to judge for readers");

  /** Whether nobody else's guarantees are judged just now. */
  get isFree(): boolean {
    return this.#thread.isFree;
  }

  /** @param change a {@link ChangeToJudge} as JSON */
  async brokenBy(holder: Holder, change: string): Promise<readonly BrokenGuarantee[]> {
    return present((await this.#thread.run(holder, { change })).broken);
  }

  async states(holder: Holder, toJudge: StatesToJudge): Promise<readonly GuaranteeState[]> {
    return present((await this.#thread.run(holder, { states: JSON.stringify(toJudge) })).states);
  }

  /** The same for somebody who reads: it keeps no change waiting. */
  async statesToRead(holder: Holder, toJudge: StatesToJudge): Promise<readonly GuaranteeState[]> {
    return present((await this.#reading.run(holder, { states: JSON.stringify(toJudge) })).states);
  }

  async contradiction(holder: Holder, toCompare: GuaranteesToCompare): Promise<Contradiction | undefined> {
    return (await this.#thread.run(holder, { contradictions: JSON.stringify(toCompare) })).contradiction;
  }

  async close(): Promise<void> {
    await Promise.all([this.#thread.end(), this.#reading.end()]);
  }
}
