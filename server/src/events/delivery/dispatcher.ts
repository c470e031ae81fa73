import { Job } from "@tunnelplane/sdk/jobs";
import type { ServerContext } from "../../resources";
import { AttemptCounts } from "../admin/metrics";
import { Destinations, type DispatcherOptions } from "../destinations";
import { repairTimes } from "../queue/clocks";
import { dueDestinations } from "../queue/cursors";
import { type Outgoing, TargetError } from "../targets";
import type { Sent } from "../targets/target";
import { endDeliveries } from "./gone";
import { DeliveryWorker } from "./worker";

// Polling finds events that other servers committed, and retries that are due.
const POLL_MS = 1000;
// How often to look for times that a fast clock wrote. If the clock goes back by more than this, look at
// once.
const MEND_MS = 60_000;
// A short wait turns a burst of commits into batches.
const GATHER_MS = 5;
// Longer than a target's own timeout (30 s), whose message explains more.
const TEST_MS = 40_000;

/**
 * Delivers events at least once, and those of one object in order. Any number of dispatchers may share one
 * database. Each destination has its own worker, so a destination that is down or slow does not delay the
 * others.
 */
export class Dispatcher {
  /** For metrics. */
  readonly counts = new AttemptCounts();
  readonly #workers = new Map<string, DeliveryWorker>();
  readonly #destinations: Destinations;
  readonly #now: () => Date;
  readonly #looks = new Job({
    name: "look for events to deliver",
    everyMs: POLL_MS,
    pauseMs: () => GATHER_MS,
    work: () => this.#startWorkers(),
    onError: (error) => this.#fail(error),
  });
  /** In milliseconds since 1970. */
  #mendedAt = 0;
  /** By the database's clock, at the last look: leases and due times are those of all its servers. */
  #looked = { time: 0, at: Number.NEGATIVE_INFINITY };

  /** @param context the caller calls {@link wake} after each write to its store */
  constructor(
    private readonly context: ServerContext,
    private readonly options: DispatcherOptions,
  ) {
    this.#destinations = new Destinations(context, options);
    this.#now = options.now ?? (() => new Date(this.#looked.time + performance.now() - this.#looked.at));
  }

  /** Works until {@link stop}. */
  start(): void {
    this.#looks.start().wake();
  }

  /** Looks for due events soon. Call it after a commit. */
  wake(): void {
    this.#looks.wake();
  }

  /** Delivers everything that is due and waits until that is done. */
  async deliverDue(): Promise<void> {
    await this.context.sequencer.settle();
    await this.#looks.round().catch((error: unknown) => this.#fail(error));
    for (const worker of this.#workers.values()) await worker.idle();
  }

  /** Sends one test event to a destination, now and once, and returns the result. */
  async test(destination: string, event: Outgoing): Promise<Sent | undefined> {
    return this.#destinations.use(destination, async (target) => {
      try {
        const [sent] = await target.send(
          [{ ...event, body: this.bodyOf(event.body) }],
          AbortSignal.timeout(TEST_MS),
        );
        return sent;
      } catch (error) {
        if (error instanceof TargetError) return { ok: false, error: error.message };
        throw error;
      }
    });
  }

  /** Turns a stored payload into the text to send. */
  readonly bodyOf = (payload: string): string =>
    this.context.documents.answer(payload, this.options.address());

  /** Waits for batches in flight, up to this limit, then aborts them. Aborted batches are retried. */
  async stop(limitMs: number): Promise<void> {
    const workers = [...this.#workers.values()].map((worker) => worker.stop());
    const late = setTimeout(() => {
      for (const worker of this.#workers.values()) worker.abort();
    }, limitMs);
    await this.#looks.stop();
    await Promise.all(workers);
    clearTimeout(late);
    this.#destinations.close();
  }

  #fail(error: unknown): void {
    this.options.logger.error({ err: error }, "cannot look for events to deliver");
  }

  async #lookAtClock(): Promise<void> {
    if (performance.now() - this.#looked.at < POLL_MS) return;
    this.#looked = { time: await this.context.store.now(), at: performance.now() };
  }

  /** Runs on the first look, once a minute, and after the clock was set back. */
  async #repairTimes(): Promise<void> {
    const now = this.#now();
    if (Math.abs(now.getTime() - this.#mendedAt) < MEND_MS) return;
    await repairTimes(this.context.store, now);
    this.#mendedAt = now.getTime();
  }

  /** Wakes the worker of each destination that has something due. */
  async #startWorkers(): Promise<void> {
    await this.#lookAtClock();
    await this.#repairTimes();
    for (const { id } of await dueDestinations(this.context.store.reader, {
      now: this.#now().toISOString(),
    })) {
      if (this.#looks.mode === "stopping") break;
      let worker = this.#workers.get(id);
      if (!worker) {
        const { random = Math.random, logger } = this.options;
        const { bodyOf, counts } = this;
        worker = new DeliveryWorker(id, this.context.store, this.#destinations, {
          bodyOf,
          logger,
          random,
          counts,
          onGone: (gone) => endDeliveries(this.context, gone),
          now: this.#now,
        });
        this.#workers.set(id, worker);
      }
      worker.wake();
    }
  }
}
