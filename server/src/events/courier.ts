import type { Store } from "../storage/store";
import type { Batch, Result, SentBatch } from "./batch";
import { giveBack, lease, settle } from "./batches";
import type { Destinations } from "./destinations";
import type { DispatcherOptions } from "./dispatcher";
import type { AttemptCounts } from "./metrics";
import { type Target, TargetError } from "./targets";

/** How many batches are under way at once to one destination: while some are with the service, others are recorded and taken. */
export const CONCURRENCY = 4;

// However long a service wants to be left alone: it is asked again once an hour, as after failures.
const LONGEST_REST_MS = 3600_000;

interface CourierOptions extends Required<Pick<DispatcherOptions, "logger" | "now" | "random">> {
  readonly bodyOf: (payload: string) => string;
  readonly counts: AttemptCounts;
}

/** Brings events to one destination, a few batches at a time. */
export class Courier {
  readonly #tours = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  #goAgain = false;
  #stopped = false;
  /** Until when the service wants to be left alone, in milliseconds since 1970. */
  #restsUntil = 0;

  constructor(
    private readonly destination: string,
    private readonly store: Store,
    private readonly destinations: Destinations,
    private readonly options: CourierOptions,
  ) {}

  /** Delivers what is due; goes on until nothing is. What is new does not wait for a batch that the service has not answered yet. */
  go(): void {
    if (this.#tours.size < CONCURRENCY) this.#startTour();
    else this.#goAgain = true;
  }

  /** Takes nothing more. */
  stop(): void {
    this.#stopped = true;
  }

  /** Cuts off what is under way. */
  abort(): void {
    this.#abort.abort();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#tours.size > 0) await Promise.all(this.#tours);
  }

  #startTour(): void {
    const { logger } = this.options;
    const tour = this.#tour()
      .catch((error: unknown) => logger.error({ err: error, destination: this.destination }, "cannot deliver events for now"))
      .finally(() => this.#tours.delete(tour));
    this.#tours.add(tour);
  }

  async #tour(): Promise<void> {
    let sent: SentBatch | undefined;
    do {
      this.#goAgain = false;
      const before = sent;
      sent = await this.destinations.use(this.destination, (target) => this.#deliver(target, before));
    } while (sent || (this.#goAgain && this.#mayTake()));
  }

  #mayTake(): boolean {
    return !this.#stopped && this.options.now().getTime() >= this.#restsUntil;
  }

  /** Records the batch before, and delivers one, if there is one. */
  async #deliver(target: Target, before: SentBatch | undefined): Promise<SentBatch | undefined> {
    const batch = await this.#exchange(target, before);
    if (!batch) return undefined;
    if (batch.more && this.#tours.size < CONCURRENCY) this.#startTour();
    if (batch.deliveries.length === 0) return { batch, results: [] };
    const results = await this.#send(target, batch);
    if (results) {
      this.options.counts.add(this.destination, results);
      return { batch, results };
    }
    await this.store.write((transaction) => giveBack(transaction, batch, this.options.now()));
    return undefined;
  }

  /** One transaction for both: commits cost as much as what is in them. */
  async #exchange(target: Target, before: SentBatch | undefined): Promise<Batch | undefined> {
    const { now, random, bodyOf } = this.options;
    if (!(before || this.#mayTake())) return undefined;
    return this.store.write(async (transaction) => {
      const at = now();
      if (before) await settle(transaction, before, at, random());
      return this.#mayTake() ? lease(transaction, { destination: this.destination, target, now: at, bodyOf }) : undefined;
    });
  }

  /** Undefined when it was cut off. */
  async #send(target: Target, batch: Batch): Promise<Result[] | undefined> {
    try {
      return await target.send(
        batch.deliveries.map(({ event }) => event),
        this.#abort.signal,
      );
    } catch (error) {
      if (this.#abort.signal.aborted) return undefined;
      const refusal = this.#refusalOf(error);
      return batch.deliveries.map(() => refusal);
    }
  }

  #refusalOf(error: unknown): Result {
    if (error instanceof TargetError) {
      const { message, throttled, retryAfterMs } = error;
      if (retryAfterMs) this.#restsUntil = this.options.now().getTime() + Math.min(retryAfterMs, LONGEST_REST_MS);
      return { ok: false, error: message, throttled, retryAfterMs };
    }
    this.options.logger.error({ err: error, destination: this.destination }, "sending events failed inside of the server");
    return { ok: false, error: "failed inside of the server; its log says why" };
  }
}
