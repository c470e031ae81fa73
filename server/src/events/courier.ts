import type { Store } from "../storage/store";
import { type Batch, lease, type Result, release, settle } from "./batches";
import type { Destinations } from "./destinations";
import type { DispatcherOptions } from "./dispatcher";
import type { AttemptCounts } from "./metrics";
import { type Target, TargetError } from "./targets";

// While one batch is with the service, the next is taken and the one before recorded.
const CONCURRENCY = 2;

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

  /** Delivers what is due; goes on until nothing is. */
  go(): void {
    if (this.#tours.size > 0) this.#goAgain = true;
    else this.#startTour();
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
    while (!this.#stopped && this.options.now().getTime() >= this.#restsUntil) {
      this.#goAgain = false;
      const more = await this.destinations.use(this.destination, (target) => this.#deliver(target));
      if (!more && !this.#goAgain) return;
    }
  }

  /** Delivers one batch, if there is one. */
  async #deliver(target: Target): Promise<boolean> {
    const { now, bodyOf, random, counts } = this.options;
    const batch = await lease(this.store, { destination: this.destination, target, now: now(), bodyOf });
    if (!batch) return false;
    if (batch.more && this.#tours.size < CONCURRENCY) this.#startTour();
    const results = await this.#send(target, batch);
    if (results) {
      counts.add(this.destination, results);
      await settle(this.store, batch, results, now(), random());
    } else await release(this.store, batch, now());
    return true;
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
      if (retryAfterMs) this.#restsUntil = this.options.now().getTime() + retryAfterMs;
      return { ok: false, error: message, throttled, retryAfterMs };
    }
    this.options.logger.error({ err: error, destination: this.destination }, "sending events failed inside of the server");
    return { ok: false, error: "failed inside of the server; its log says why" };
  }
}
