import type { FastifyBaseLogger } from "fastify";
import type { Store } from "../storage/store";
import { Courier } from "./courier";
import { Destinations, type DestinationsOptions } from "./destinations";

// Finds what other servers committed, and what has to be tried again.
const POLL_MS = 1000;
// What is committed meanwhile goes along, so that a burst becomes batches.
const GATHER_MS = 5;

export interface DispatcherOptions extends DestinationsOptions {
  /** An event's text as it is sent, from what is stored. */
  readonly bodyOf: (payload: string) => string;
  readonly logger: Pick<FastifyBaseLogger, "error" | "warn">;
  /** Default: the clock. */
  readonly now?: () => Date;
  /** From 0 up to 1. Default: Math.random. */
  readonly random?: () => number;
}

/**
 * Delivers events, at least once, and those of one object in order. Any number of them may work on one database. Each
 * destination has a courier of its own, so that one that is down or slow holds up no other.
 */
export class Dispatcher {
  readonly #couriers = new Map<string, Courier>();
  readonly #destinations: Destinations;
  readonly #now: () => Date;
  #timer: NodeJS.Timeout | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #stopped = false;

  /** @param store whose writes do not {@link wake} it */
  constructor(
    private readonly store: Store,
    private readonly options: DispatcherOptions,
  ) {
    this.#destinations = new Destinations(options);
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

  /** Lets what is under way finish, but no longer than this; what is cut off is tried again. */
  async stop(limitMs: number): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    clearTimeout(this.#gathering);
    for (const courier of this.#couriers.values()) courier.stop();
    const late = setTimeout(() => {
      for (const courier of this.#couriers.values()) courier.abort();
    }, limitMs);
    await this.#looking;
    await this.#idle();
    clearTimeout(late);
    this.#destinations.close();
  }

  async #idle(): Promise<void> {
    await Promise.all([...this.#couriers.values()].map((courier) => courier.idle()));
  }

  #look(): Promise<void> {
    this.#looking ??= this.#sendCouriers()
      .catch((error: unknown) => this.options.logger.error({ err: error }, "cannot look for events to deliver"))
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  async #sendCouriers(): Promise<void> {
    for (const { id } of await this.#due()) {
      if (this.#stopped) return;
      let courier = this.#couriers.get(id);
      if (!courier) {
        const { random = Math.random } = this.options;
        courier = new Courier(id, this.store, this.#destinations, { ...this.options, now: this.#now, random });
        this.#couriers.set(id, courier);
      }
      courier.go();
    }
  }

  /** The destinations that something is due for. There are few of them, but there may be many events. */
  #due(): Promise<{ id: string }[]> {
    return this.store.reader
      .selectFrom("resource")
      .select("id")
      .where("kind", "=", "event_destination")
      .where(({ exists, selectFrom }) =>
        exists(
          selectFrom("lane")
            .select("lane.object_id")
            .whereRef("lane.destination_id", "=", "resource.id")
            .where("lane.due_at", "<=", this.#now().toISOString()),
        ),
      )
      .execute();
  }
}
