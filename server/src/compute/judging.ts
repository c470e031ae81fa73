import { present } from "@tunnelplane/sdk/contract";
import type { BrokenGuarantee, GuaranteeState } from "@tunnelplane/sdk/meaning";
import { type Holder, RequestError } from "../util";
import type { Contradiction, GuaranteesToCompare } from "./contradictions";
import type { JudgingAnswer, JudgingOrder, StatesToJudge } from "./judgingWorker";
import { threadsOf } from "./threads";

/** As for other decisions. */
const MAX_MS = 10_000;
const RETRY_SOON = { headers: { "retry-after": "1" } };

const newThreads = (name: string, work: string) =>
  threadsOf<JudgingOrder, JudgingAnswer>({
    worker: "judgingWorker",
    name,
    task: "judges guarantees",
    work,
    threads: 2,
    memory: { old: 512, young: 32 }, // for 20,000 objects, which take some 100 (chosen with room to spare)
    longest: { ms: MAX_MS, error: () => new TooLong() },
  });

/** Guarantees took too long to judge. */
export class TooLong extends RequestError {
  constructor() {
    super(
      "overloaded",
      `It took longer than ${MAX_MS / 1000} s to judge guarantees; nothing was changed. Change less at once`,
      RETRY_SOON,
    );
  }
}

/** Judges guarantees in threads of their own, so that questions keep no change waiting, of whatever kind. */
export class Judging {
  readonly #changes = newThreads("guarantees", "changes to judge by guarantees");
  readonly #states = newThreads("states", "guarantees to judge");

  /** Whether a change would be judged at once. */
  isFree(holder: Holder): boolean {
    return this.#changes.isFree(holder);
  }

  /** @param change a {@link ChangeToJudge} as JSON */
  async brokenBy(holder: Holder, change: string, gone?: AbortSignal): Promise<readonly BrokenGuarantee[]> {
    return present((await this.#changes.run(holder, { change }, { gone })).broken);
  }

  /** The states of guarantees that a change would break, before it. */
  async states(
    holder: Holder,
    toJudge: StatesToJudge,
    gone?: AbortSignal,
  ): Promise<readonly GuaranteeState[]> {
    return present((await this.#changes.run(holder, statesOf(toJudge), { gone })).states);
  }

  /** The same for somebody who asks: it keeps no change waiting. */
  async statesToTell(
    holder: Holder,
    toJudge: StatesToJudge,
    gone?: AbortSignal,
  ): Promise<readonly GuaranteeState[]> {
    return present((await this.#states.run(holder, statesOf(toJudge), { gone })).states);
  }

  /** The same to keep them: it waits until its turn comes, and then reads what is to be judged. */
  async statesToKeep(
    project: string,
    read: () => Promise<StatesToJudge>,
    gone: AbortSignal,
  ): Promise<readonly GuaranteeState[]> {
    const order = async () => statesOf(await read());
    const options = { gone, maxWaitMs: Number.POSITIVE_INFINITY };
    return present((await this.#states.run({ project, owner: "" }, order, options)).states);
  }

  async contradiction(
    holder: Holder,
    toCompare: GuaranteesToCompare,
    gone?: AbortSignal,
  ): Promise<Contradiction | undefined> {
    const order = { contradictions: JSON.stringify(toCompare) };
    return (await this.#changes.run(holder, order, { gone })).contradiction;
  }

  async close(): Promise<void> {
    await Promise.all([this.#changes.end(), this.#states.end()]);
  }
}

const statesOf = (toJudge: StatesToJudge): JudgingOrder => ({ states: JSON.stringify(toJudge) });
