import { refusalForNow, Turns } from "../util";

/** Change sets that are worked on at once: each holds megabytes. */
const AT_ONCE = 2;
/** Change sets of one owner that may wait for their turn. */
const MOST_WAITING = 8;

let working = 0;
const turns = new Turns<() => void>();
const waiting = new Map<string, number>();

/**
 * Works on a change set when its turn comes; owners take turns. Refuses it if its owner has enough of them
 * waiting.
 */
export async function inTurn<T>(owner: string, work: () => Promise<T>): Promise<T> {
  if (working >= AT_ONCE) await turnOf(owner);
  else working++;
  try {
    return await work();
  } finally {
    const next = turns.next();
    if (next) next();
    else working--;
  }
}

async function turnOf(owner: string): Promise<void> {
  const count = waiting.get(owner) ?? 0;
  if (count >= MOST_WAITING)
    throw refusalForNow(
      "overloaded",
      `${MOST_WAITING} change sets of this API key's owner wait already; try again shortly`,
    );
  waiting.set(owner, count + 1);
  await new Promise<void>((begin) => turns.add(owner, begin));
  const left = (waiting.get(owner) ?? 1) - 1;
  if (left > 0) waiting.set(owner, left);
  else waiting.delete(owner);
}
