/**
 * A queue that serves owners in turns. However much others have queued, an owner waits for at most one entry
 * of each of them.
 */
export class Turns<T> {
  /** The owner whose turn is next first. */
  readonly #queues = new Map<string, T[]>();

  add(owner: string, one: T): void {
    const queue = this.#queues.get(owner);
    if (queue) queue.push(one);
    else this.#queues.set(owner, [one]);
  }

  next(): T | undefined {
    const [turn] = this.#queues;
    if (!turn) return undefined;
    const [owner, queue] = turn;
    const one = queue.shift();
    this.#queues.delete(owner);
    if (queue.length > 0) this.#queues.set(owner, queue); // behind the others
    return one;
  }
}
