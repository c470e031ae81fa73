import { present } from "@tunnelplane/sdk/contract";
import { type RequestError, refusalForNow, SharedThread } from "../util";
import { withPrivateTargets } from "./privateTargets";
import { type Findings, type Purpose, validate } from "./validate";
import type { BodyToCheck } from "./worker";

/**
 * Smaller bodies, in characters of JSON, are checked on the main thread. About thirty patterns of the largest
 * program fit into one; each takes 1.2 ms once the compiler is warm, and 30 ms the first time (measured
 * 2026-11-22 on 2 cores, Node 24).
 */
const SMALL = 400;
const MIB = 1024 * 1024;
/** The limit of one owner's bodies that wait to be checked, in characters of JSON: four of the largest. */
const MOST_OF_ONE = 4 * MIB;
/** In MiB. Chosen with room to spare for bodies of 1 MiB, not measured. */
const MOST_MEMORY = 256;
/** In MiB. A larger young generation stays with the process once the thread has ended. */
const MOST_YOUNG = 16;

/**
 * Checks bodies against the contract; all but small ones in a thread of its own, so that no body delays other
 * requests. The bodies of one owner that wait are bounded.
 */
export class Validation {
  readonly #sizes = new Map<string, number>();
  readonly #thread = new SharedThread<BodyToCheck, Findings>({
    file: require.resolve("./worker"),
    name: "validation",
    task: "checks bodies",
    work: "bodies to check",
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY, maxYoungGenerationSizeMb: MOST_YOUNG },
  });

  /**
   * Refuses a body before it is read, if too much of its owner waits already: reading and parsing it would
   * cost memory for nothing.
   *
   * @param bytes how much of it is read: the length in its header, up to the limit of bodies; 0 without that
   *   header
   */
  refuseWhileFull(owner: string, bytes: number): void {
    if ((this.#sizes.get(owner) ?? 0) + bytes > MOST_OF_ONE) throw tooMuch();
  }

  /** @param allowPrivate whether this server reads from addresses that are not on the internet */
  constructor(private readonly allowPrivate = false) {}

  /** @param owner whose body it is */
  async validate(owner: string, purpose: Purpose, body: unknown): Promise<Findings> {
    const found = await this.#check(owner, purpose, body);
    return this.allowPrivate ? found : withPrivateTargets(purpose, found);
  }

  async #check(owner: string, purpose: Purpose, body: unknown): Promise<Findings> {
    const json = JSON.stringify(body);
    if (json.length <= SMALL) return validate(purpose, body);
    const size = (this.#sizes.get(owner) ?? 0) + json.length;
    if (size > MOST_OF_ONE) throw tooMuch();
    this.#sizes.set(owner, size);
    try {
      return await this.#thread.run({ project: "", owner }, { ...purpose, json });
    } finally {
      const left = present(this.#sizes.get(owner)) - json.length;
      if (left > 0) this.#sizes.set(owner, left);
      else this.#sizes.delete(owner);
    }
  }

  close(): Promise<void> {
    return this.#thread.end();
  }
}

const tooMuch = (): RequestError =>
  refusalForNow(
    "overloaded",
    `More than ${MOST_OF_ONE / MIB} MiB of bodies of this API key's owner wait to be checked; try again shortly`,
  );
