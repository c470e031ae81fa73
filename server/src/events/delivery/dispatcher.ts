import type { Context } from "../../resources";
import { AttemptCounts } from "../admin/metrics";
import { Destinations } from "../destinations";
import { mendTimes } from "../queue/clocks";
import { dueDestinations } from "../queue/cursors";
import { type Outgoing, TargetError } from "../targets";
import type { Sent } from "../targets/target";
import type { DispatcherOptions } from "./options";
import { DeliveryWorker } from "./worker";

// Finds what other servers committed, and what has to be tried again.
const POLL_MS = 1000;
// How often times are looked for that a clock wrote which was ahead; and how far a clock goes back before that is done at once.
const MEND_MS = 60_000;
// What is committed meanwhile goes along, so that a burst becomes batches.
const GATHER_MS = 5;
// Longer than a target waits for its service (30 s), which says more of what is wrong.
const TEST_MS = 40_000;

/**
 * Delivers events, at least once, and those of one object in order. Any number of them may work on one database. Each
 * destination has a worker of its own, so that one that is down or slow holds up no other.
 */
export class Dispatcher {
  /** What was tried so far, for metrics. */
  readonly counts = new AttemptCounts();
  readonly #workers = new Map<string, DeliveryWorker>();
  readonly #destinations: Destinations;
  readonly #now: () => Date;
  #timer: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #stopped = false;
  /** In milliseconds since 1970. */
  #mendedAt = 0;

  /** @param context whose store's writes do not {@link wake} it */
  constructor(
    private readonly context: Pick<Context, "store" | "documents">,
    private readonly options: DispatcherOptions,
  ) {
    this.#destinations = new Destinations(context, options);
    this.#now = options.now ?? (() => new Date());
  }

  /** Works from now on, until it is stopped. */
  start(): void {
    this.#timer = setInterval(() => this.#look(), POLL_MS);
    this.wake();
  }

  /** Looks soon: something has been committed. */
  wake(): void {
    if (this.#stopped || !this.#timer) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#look();
    }, GATHER_MS);
  }

  /** Delivers everything that is due, and waits for it. */
  async deliverDue(): Promise<void> {
    await this.#look();
    await this.#idle();
  }

  /** Sends one event of its own to a destination, right away and once, and says what became of it. */
  async test(destination: string, event: Outgoing): Promise<Sent | undefined> {
    return this.#destinations.use(destination, async (target) => {
      try {
        const [sent] = await target.send([{ ...event, body: this.bodyOf(event.body) }], AbortSignal.timeout(TEST_MS));
        return sent;
      } catch (error) {
        if (error instanceof TargetError) return { ok: false, error: error.message };
        throw error;
      }
    });
  }

  /** An event's text as it is sent, from what is stored. */
  readonly bodyOf = (payload: string): string => this.context.documents.answer(payload, this.options.address());

  /** Lets what is under way finish, but no longer than this; what is cut off is tried again. */
  async stop(limitMs: number): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    clearTimeout(this.#gathering);
    for (const worker of this.#workers.values()) worker.stop();
    const late = setTimeout(() => {
      for (const worker of this.#workers.values()) worker.abort();
    }, limitMs);
    await this.#looking;
    await this.#idle();
    clearTimeout(late);
    this.#destinations.close();
  }

  async #idle(): Promise<void> {
    await Promise.all([...this.#workers.values()].map((worker) => worker.idle()));
  }

  /** Where it looks already, what this call is for may have come too late for that; so it looks once more. */
  #look(): Promise<void> {
    this.#lookAgain = true;
    this.#looking ??= this.#lookUntilDone();
    return this.#looking;
  }

  async #lookUntilDone(): Promise<void> {
    try {
      while (this.#lookAgain) {
        this.#lookAgain = false;
        await this.#startWorkers();
      }
    } catch (error) {
      this.options.logger.error({ err: error }, "cannot look for events to deliver");
    } finally {
      this.#looking = undefined;
    }
  }

  /** On the first look, once a minute, and when the clock was put back. */
  async #mendTimes(): Promise<void> {
    const now = this.#now();
    if (Math.abs(now.getTime() - this.#mendedAt) < MEND_MS) return;
    await mendTimes(this.context.store, now);
    this.#mendedAt = now.getTime();
  }

  async #startWorkers(): Promise<void> {
    await this.#mendTimes();
    for (const { id } of await dueDestinations(this.context.store.reader, { now: this.#now().toISOString() })) {
      if (this.#stopped) return;
      let worker = this.#workers.get(id);
      if (!worker) {
        const { random = Math.random, logger } = this.options;
        const { bodyOf, counts } = this;
        worker = new DeliveryWorker(id, this.context.store, this.#destinations, { bodyOf, logger, random, counts, now: this.#now });
        this.#workers.set(id, worker);
      }
      worker.go();
    }
  }
}
