import { setImmediate as nextTurn } from "node:timers/promises";

const SLICE_MS = 10;

let last: Promise<void> = Promise.resolve();

/**
 * A turn of the event loop for work that takes milliseconds. However many requests do such work, only one of them has
 * each turn: Node would run all that wait for the next one without a look at anybody else.
 */
export function ownTurn(): Promise<void> {
  last = last.then(() => nextTurn());
  return last;
}

// Ten pages of 8 MiB that a database answers at once made the process 400 MB larger, for good (measured 2026-11-22, PostgreSQL, Node 24).
const READ_AT_ONCE = 2;
let reading = 0;
const waiting: (() => void)[] = []; // each holds a slot, so there are no more than slots

/** Reads megabytes, while no more than one other does: what is there at once is bounded, however many ask. */
export async function readLarge<T>(read: () => Promise<T>): Promise<T> {
  if (reading >= READ_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else reading++;
  try {
    await ownTurn();
    return await read();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else reading--;
  }
}

/** Does something with each of many, one after the other; whoever else waits for the event loop has turns in between. */
export async function inSlices<T, R>(all: readonly T[], work: (one: T, index: number) => R | Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let begun = performance.now();
  for (const [index, one] of all.entries()) {
    if (performance.now() - begun >= SLICE_MS) {
      await ownTurn();
      begun = performance.now();
    }
    results.push(await work(one, index));
  }
  return results;
}
