import type { Store } from "../../storage";
import type { AttemptCounts } from "../admin/metrics";
import type { Destinations, DispatcherOptions } from "../destinations";
import { lockDestination } from "../queue/cursors";
import { lease, record, release } from "../queue/leases";
import { type DeliveryTarget, type Outgoing, TargetError } from "../targets";
import type { Sent } from "../targets/target";
import type { LeasedBatch, Result, SentBatch } from "./batch";
import { isGone } from "./gone";
import { Loops } from "./loops";

const CUT_OFF: Result = { ok: false, error: "was not answered before the server had to stop" };

interface WorkerOptions extends Required<Pick<DispatcherOptions, "logger" | "now" | "random">> {
  readonly bodyOf: (payload: string) => string;
  readonly counts: AttemptCounts;
  /** Called once it is recorded that a destination's service is gone for good. */
  readonly onGone: (destination: string) => Promise<void>;
}

/**
 * Sends the events of one destination, a few batches at a time: some are with the service while others are
 * recorded and leased. The page docs/architecture/events.md has a picture of its states.
 */
export class DeliveryWorker {
  readonly #abort = new AbortController();
  readonly #loops = new Loops<SentBatch>({
    next: (before) => this.destinations.use(this.destination, (target) => this.#deliver(target, before)),
    now: () => this.options.now(),
    onError: (error) =>
      this.options.logger.error(
        { err: error, destination: this.destination },
        "cannot deliver events for now",
      ),
  });

  constructor(
    private readonly destination: string,
    private readonly store: Store,
    private readonly destinations: Destinations,
    private readonly options: WorkerOptions,
  ) {}

  /**
   * Delivers until nothing is due. New events do not wait for a batch that the service has not answered yet.
   */
  wake(): void {
    this.#loops.wake();
  }

  /** Leases no further batch. */
  stop(): void {
    this.#loops.stop();
  }

  /** Aborts the requests in flight. */
  abort(): void {
    this.#abort.abort();
  }

  /** Resolves when nothing is in flight. */
  ended(): Promise<void> {
    return this.#loops.ended();
  }

  /** Records the previous batch, then leases and sends the next one, if there is one. */
  async #deliver(target: DeliveryTarget, before: SentBatch | undefined): Promise<SentBatch | undefined> {
    const taken = await this.#exchange(target, before);
    if (isGone(before)) await this.options.onGone(this.destination);
    if (!taken) return undefined;
    const { batch, requests } = taken;
    if (batch.more) this.#loops.more();
    if (batch.deliveries.length === 0) return { batch, results: [] };
    const results = await this.#send(target, requests);
    if (results) {
      this.options.counts.add(this.destination, results);
      return { batch, results };
    }
    await this.store.write((transaction) => release(transaction, batch, this.options.now()));
    return undefined;
  }

  /** Records and leases in one transaction, because a commit costs as much as its statements. */
  async #exchange(target: DeliveryTarget, before: SentBatch | undefined): Promise<LeasedBatch | undefined> {
    const { now, random, bodyOf } = this.options;
    if (!(before || this.#loops.mayTake)) return undefined;
    return this.store.write(async (transaction) => {
      const at = now();
      await lockDestination(transaction, this.destination);
      if (before) await record(transaction, before, at, random());
      return this.#loops.mayTake && !isGone(before)
        ? lease(transaction, { destination: this.destination, target, now: at, bodyOf })
        : undefined;
    });
  }

  /** Undefined when every request was aborted. */
  async #send(target: DeliveryTarget, requests: Outgoing[][]): Promise<Result[] | undefined> {
    const sending: Promise<Result[]>[] = [];
    // The events' texts are most of a batch's memory. `shift` frees them when they are sent, not when they
    // are answered.
    for (let request = requests.shift(); request; request = requests.shift())
      sending.push(this.#resultsOf(request.length, target.send(request, this.#abort.signal)));
    const results = (await Promise.all(sending)).flat();
    return results.every((result) => result === CUT_OFF) ? undefined : results;
  }

  async #resultsOf(count: number, sending: Promise<Sent[]>): Promise<Result[]> {
    try {
      return await sending;
    } catch (error) {
      return Array<Result>(count).fill(this.#abort.signal.aborted ? CUT_OFF : this.#refusalOf(error));
    }
  }

  #refusalOf(error: unknown): Result {
    if (error instanceof TargetError) {
      const { message, throttled, retryAfterMs } = error;
      if (retryAfterMs) this.#loops.rest(retryAfterMs);
      return { ok: false, error: message, throttled, retryAfterMs };
    }
    this.options.logger.error(
      { err: error, destination: this.destination },
      "sending events failed inside of the server",
    );
    return { ok: false, error: "failed inside of the server; its log says why" };
  }
}
