import { setTimeout as sleep } from "node:timers/promises";
import type { RawAnswer, Sent } from "./connections";
import { askedWait } from "./retry";

/** How long a client does what a server asks with `Retry-After`. */
export interface Patience {
  /** How long one request waits in all, in milliseconds. */
  readonly ms: number;
  /** Called at each wait, with its length in milliseconds. */
  readonly onWait?: ((ms: number) => void) | undefined;
}

/** No shorter wait, because a server that is busy may say 0. */
const MIN_MS = 200;

/**
 * Sends requests. While the server asks for patience, they go one after the other, in the order in which they
 * came: all at once would be refused again, and would take the turns of those that wait.
 */
export class PatientSender {
  #line: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @param send sends a request, and again where that is safe for other reasons than `Retry-After` */
  constructor(
    private readonly send: (sent: Sent) => Promise<RawAnswer>,
    private readonly patience: Patience,
  ) {}

  async request(sent: Sent): Promise<RawAnswer> {
    if (this.#waiting > 0) return this.#inLine(async () => this.#patiently(sent, await this.send(sent)));
    const answer = await this.send(sent);
    return askedWait(answer) === undefined ? answer : this.#inLine(() => this.#patiently(sent, answer));
  }

  #inLine<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const done = this.#line.then(work, work).finally(() => {
      this.#waiting--;
    });
    this.#line = done.catch(() => undefined);
    return done;
  }

  async #patiently(sent: Sent, first: RawAnswer): Promise<RawAnswer> {
    let answer = first;
    let waited = 0;
    for (;;) {
      const asked = askedWait(answer);
      const wait = Math.max(asked ?? 0, MIN_MS);
      if (asked === undefined || waited + wait > this.patience.ms) return answer;
      this.patience.onWait?.(wait);
      await sleep(wait, undefined, { signal: sent.signal });
      waited += wait;
      answer = await this.send(sent);
    }
  }
}
