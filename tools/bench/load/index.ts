import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { join } from "node:path";
import type { LoadJob, LoadResult } from "./job";

/** Sends requests from a process of its own. All contenders of a comparison share one. */
export class LoadGenerator {
  readonly #child: ChildProcess = fork(join(__dirname, "generator.ts"));
  #numbered = 0;

  /** @param niceness how far it steps back for what is measured, where clients would have other machines */
  constructor(niceness = 0) {
    if (niceness > 0 && this.#child.pid !== undefined) setPriority(this.#child.pid, niceness);
  }

  /** Runs a job. `{n}` is unique across the requests of all jobs. */
  async run(job: Omit<LoadJob, "from">): Promise<LoadResult> {
    this.#child.send({ ...job, from: this.#numbered });
    const [{ result, error }] = (await once(this.#child, "message")) as [
      { result?: LoadResult; error?: string },
    ];
    if (!result) throw new Error(`The load generator failed: ${error}`);
    this.#numbered += result.sent;
    return result;
  }

  stop(): void {
    this.#child.kill();
  }
}
