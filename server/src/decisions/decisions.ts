import type { Decision } from "@tunnelplane/sdk/meaning";
import { refusalForNow, SharedThread } from "../util";
import type { ToDecide } from "./worker";

/** Compiling and searching patterns of users takes most of it; chosen, not measured. */
const LONGEST_MS = 30_000;
/** In MiB. Chosen with room to spare for 2,000 objects and 100 requests, not measured. */
const MOST_MEMORY = 256;
/** In MiB. A larger young generation stays with the process once the thread has ended. */
const MOST_YOUNG = 16;

/** Decides requests in a thread, because patterns of users are compiled and searched there. */
export class Decisions {
  readonly #thread = new SharedThread<ToDecide, Decision[]>({
    file: require.resolve("./worker"),
    name: "decisions",
    task: "decides requests",
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY, maxYoungGenerationSizeMb: MOST_YOUNG },
    longest: {
      ms: LONGEST_MS,
      error: () =>
        refusalForNow(
          "overloaded",
          `It took longer than ${LONGEST_MS / 1000} s to decide these requests; send fewer at once`,
        ),
    },
  });

  /** @param owner whose requests they are */
  decide(owner: string, what: ToDecide): Promise<Decision[]> {
    return this.#thread.run(owner, what);
  }

  close(): Promise<void> {
    return this.#thread.end();
  }
}
