import { RequestError } from "../util";

/** Change sets that are worked on at once: each holds megabytes. */
const AT_ONCE = 2;
/** Change sets of one owner that may wait for their turn. */
const MOST_WAITING = 8;

let working = 0;
const waiting: { readonly owner: string; readonly begin: () => void }[] = [];

/** Works on a change set when it is its turn. Refuses one whose owner has enough of them waiting. */
export async function inTurn<T>(owner: string, work: () => Promise<T>): Promise<T> {
  if (working >= AT_ONCE) {
    if (waiting.filter((one) => one.owner === owner).length >= MOST_WAITING)
      throw new RequestError("overloaded", `${MOST_WAITING} change sets of this API key's owner wait already; try again shortly`, {
        headers: { "retry-after": "1" },
      });
    await new Promise<void>((begin) => waiting.push({ owner, begin }));
  } else working++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next.begin();
    else working--;
  }
}
