import { present } from "@tunnelplane/sdk/contract";
import { type RequestError, refusalForNow, Thread, Turns } from "../util";
import { type Findings, type Purpose, validate } from "./validate";
import type { BodyToCheck, CheckReport } from "./worker";

/**
 * Smaller bodies, in characters of JSON, are checked on the main thread. About thirty patterns of the largest
 * program fit into one; each takes 1.2 ms once the compiler is warm, and 30 ms the first time (measured
 * 2026-11-22 on 2 cores, Node 24).
 */
const SMALL = 400;
const MIB = 1024 * 1024;
/** How much of one owner's bodies waits to be checked, in characters of JSON: four of the largest. */
const MOST_OF_ONE = 4 * MIB;
/** In MiB. Chosen with room to spare for bodies of 1 MiB, not measured. */
const MOST_MEMORY = 256;
/** In MiB. A larger young generation stays with the process once the thread has ended. */
const MOST_YOUNG = 16;

/**
 * A thread that had nothing to do for so long is ended: it would keep what large bodies took, up to the
 * limit.
 */
const IDLE_MS = 10_000;

interface Waiting {
  readonly body: BodyToCheck;
  resolve(found: Findings): void;
  reject(error: unknown): void;
}

/**
 * Checks bodies against the contract; all but small ones in a thread of its own, so that no body holds up
 * everybody else. The thread has one body at a time, and owners have their turns there, so that nobody's
 * bodies hold up those of others; how much of one owner waits is bounded. The thread starts with the first
 * body; one that fails fails the body it had, and is followed by another.
 */
export class Validation {
  readonly #turns = new Turns<Waiting>();
  readonly #sizes = new Map<string, number>();
  #current: Waiting | undefined;
  readonly #thread = new Thread<BodyToCheck, CheckReport>({
    file: require.resolve("./worker"),
    name: "validation",
    task: "checks bodies",
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY, maxYoungGenerationSizeMb: MOST_YOUNG },
    isIdle: true,
    onReport: (report) => {
      const { resolve, reject } = this.#done();
      if ("found" in report) resolve(report.found);
      else reject(report.failed);
      this.#goOn();
    },
    onFailure: (error) => {
      if (!this.#current) return;
      this.#done().reject(error);
      this.#goOn();
    },
  });
  #idle: NodeJS.Timeout | undefined;

  /**
   * Refuses a body before it is read, where too much of its owner waits already: reading and parsing it would
   * cost memory for nothing.
   * @param bytes how much of it is read: what its header says, up to the limit of bodies; 0 where it does not
   *   say
   */
  refuseWhileFull(owner: string, bytes: number): void {
    if ((this.#sizes.get(owner) ?? 0) + bytes > MOST_OF_ONE) throw tooMuch();
  }

  /** @param owner whose body it is */
  async validate(owner: string, purpose: Purpose, body: unknown): Promise<Findings> {
    const json = JSON.stringify(body);
    if (json.length <= SMALL) return validate(purpose, body);
    const size = (this.#sizes.get(owner) ?? 0) + json.length;
    if (size > MOST_OF_ONE) throw tooMuch();
    this.#sizes.set(owner, size);
    try {
      return await new Promise((resolve, reject) => {
        this.#turns.add(owner, { body: { ...purpose, json }, resolve, reject });
        this.#goOn();
      });
    } finally {
      const left = present(this.#sizes.get(owner)) - json.length;
      if (left > 0) this.#sizes.set(owner, left);
      else this.#sizes.delete(owner);
    }
  }

  close(): Promise<void> {
    return this.#thread.end();
  }

  /** Hands the next body to the thread, unless it has one. */
  #goOn(): void {
    if (this.#current) return;
    this.#current = this.#turns.next();
    clearTimeout(this.#idle);
    if (!this.#current) {
      this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
      return;
    }
    this.#thread.send(this.#current.body);
  }

  #done(): Waiting {
    const waiting = present(this.#current);
    this.#current = undefined;
    return waiting;
  }
}

const tooMuch = (): RequestError =>
  refusalForNow(
    "overloaded",
    `More than ${MOST_OF_ONE / MIB} MiB of bodies of this API key's owner wait to be checked; try again shortly`,
  );
