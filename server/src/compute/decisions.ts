import { present } from "@tunnelplane/sdk/contract";
import type { Comparison, Decision } from "@tunnelplane/sdk/meaning";
import { type Holder, refusalForNow } from "../util";
import type { DecisionAnswer, DecisionOrder, ToCompare, ToDecide } from "./decisionWorker";
import { threadsOf } from "./threads";

/** Compiling and searching patterns of users takes most of it; chosen, not measured. */
const MAX_MS = 10_000;
/**
 * Decides requests, and compares worlds, in a thread, because patterns of users are compiled and searched
 * there.
 */
export class Decisions {
  readonly #threads = threadsOf<DecisionOrder, DecisionAnswer>({
    worker: "decisionWorker",
    name: "decisions",
    task: "decides requests and compares objects",
    work: "decisions about requests and changes",
    threads: 2,
    // Chosen with room to spare for 2,000 objects and 100 requests, not measured.
    memory: { old: 256, young: 16 },
    longest: {
      ms: MAX_MS,
      error: ({ toCompare }) =>
        refusalForNow(
          "overloaded",
          toCompare
            ? `It took longer than ${MAX_MS / 1000} s to find the effects of this change; change less at once, or ask without findings`
            : `It took longer than ${MAX_MS / 1000} s to decide these requests; send fewer at once`,
        ),
    },
  });

  /** @param holder whose requests they are */
  async decide(holder: Holder, toDecide: ToDecide, gone?: AbortSignal): Promise<Decision[]> {
    return present((await this.#threads.run(holder, { toDecide }, { gone })).decisions);
  }

  /** @param holder who asks what a change means */
  async compare(holder: Holder, toCompare: ToCompare, gone?: AbortSignal): Promise<Comparison> {
    return present((await this.#threads.run(holder, { toCompare }, { gone })).comparison);
  }

  close(): Promise<void> {
    return this.#threads.end();
  }
}
