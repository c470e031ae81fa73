import { setImmediate as nextTurn } from "node:timers/promises";
import { Budget, type Holder } from "./budget";

/** How long work may keep the event loop at once, in milliseconds. */
export const SLICE_MS = 5;

/** So long others run between two parts of long work, if they have so much to do. */
const OTHERS_MS = 10;
/** A turn of the event loop that is shorter had nothing to do. */
const IDLE_MS = 0.5;

let last: Promise<void> = Promise.resolve();

/**
 * Waits for a turn of the event loop, for work that takes milliseconds. Each turn goes to one waiting request
 * only: Node itself would run all of them in one turn, without serving others in between.
 */
export function ownTurn(): Promise<void> {
  last = last.then(letOthersRun);
  return last;
}

async function letOthersRun(): Promise<void> {
  const end = performance.now() + OTHERS_MS;
  for (let began = end - OTHERS_MS; ; began = performance.now()) {
    await nextTurn();
    const now = performance.now();
    if (now - began < IDLE_MS || now >= end) return;
  }
}

/** Reads megabytes, of which few are read at once: see {@link newLargeReads}. */
export type ReadLarge = <T>(read: () => Promise<T>) => Promise<T>;

// Ten pages of 8 MiB read at once made the process grow by 400 MB, for good (measured 2026-11-22, PostgreSQL,
// Node 24).
const READ_AT_ONCE = 2;

/** The turns of reads of megabytes on one server. */
export const newLargeReads = (): Budget =>
  new Budget({ work: "large pages", size: READ_AT_ONCE, maxWaitMs: 5_000 });

/** Reads of megabytes in turns of a holder. */
export const largeReadsOf =
  (reads: Budget, holder: Holder): ReadLarge =>
  (read) =>
    reads.run(holder, async () => {
      await ownTurn();
      return read();
    });

/** When long work began in this turn of the event loop. */
let turnBegan: number | undefined;

/**
 * Gives other work a turn of the event loop when long work has lasted for some milliseconds of this one. Call
 * it often within long work.
 */
export async function yieldToEventLoop(): Promise<void> {
  if (turnBegan === undefined) {
    turnBegan = performance.now();
    setImmediate(() => {
      turnBegan = undefined;
    });
  } else if (performance.now() - turnBegan >= SLICE_MS) await ownTurn();
}

/** A part of long work, after which other work gets a turn of the event loop. */
export class Slice {
  #began = performance.now();

  /** @param ms how long it lasts */
  constructor(private readonly ms = SLICE_MS) {}

  /** Looks at the clock for each 64th `count` only: that takes longer than to compare a text. */
  isOver(count = 0): boolean {
    return count % 64 === 0 && performance.now() - this.#began >= this.ms;
  }

  async next(): Promise<void> {
    await ownTurn();
    this.#began = performance.now();
  }
}

/** Works on many values in order, and gives other work turns of the event loop in between. */
export async function inSlices<T, R>(
  all: readonly T[],
  work: (one: T, index: number) => R | Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const slice = new Slice();
  for (const [index, one] of all.entries()) {
    if (slice.isOver()) await slice.next();
    results.push(await work(one, index));
  }
  return results;
}
