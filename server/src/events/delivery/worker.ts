import { Job } from "@tunnelplane/sdk/jobs";
import type { Store } from "../../storage";
import type { AttemptCounts } from "../admin/metrics";
import type { Destinations, DispatcherOptions } from "../destinations";
import { lockDestination } from "../queue/cursors";
import { lease, record, release } from "../queue/leases";
import { type DeliveryTarget, type Outgoing, TargetError } from "../targets";
import type { Sent } from "../targets/target";
import type { LeasedBatch, Result, SentBatch } from "./batch";
import { isGone } from "./gone";

/** How many batches may be in flight: some are with the service while others are recorded and leased. */
export const CONCURRENCY = 3;
/** The longest rest, in milliseconds: as after failures, there is an attempt once an hour. */
const MAX_REST_MS = 3600_000;
const CUT_OFF: Result = { ok: false, error: "was not answered before the server had to stop" };

interface WorkerOptions extends Required<Pick<DispatcherOptions, "logger" | "now" | "random">> {
  readonly bodyOf: (payload: string) => string;
  readonly counts: AttemptCounts;
  /** Called once it is recorded that a destination's service is gone for good. */
  readonly onGone: (destination: string) => Promise<void>;
}

/**
 * Sends the events of one destination, a few batches at a time, each in a loop of its own. The page
 * docs/architecture/events.md says how they begin and end.
 */
export class DeliveryWorker {
  readonly #abort = new AbortController();
  readonly #loops = Array.from({ length: CONCURRENCY }, () =>
    new Job({
      name: "deliver events for now",
      work: () => this.#deliverAll(),
      onError: (error, message) => {
        const { destination } = this;
        this.options.logger.error({ err: error, destination }, message);
      },
    }).start(),
  );
  #isStopped = false;
  /** In milliseconds since 1970; until then, nothing new is leased. */
  #restUntil = 0;

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
    if (!this.#more()) for (const loop of this.#loops) loop.wake();
  }

  /** Leases no further batch, and waits until nothing is in flight. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#loops.map((loop) => loop.stop()));
  }

  /** Aborts the requests in flight. */
  abort(): void {
    this.#abort.abort();
  }

  /** Resolves when nothing is due or in flight. */
  async idle(): Promise<void> {
    const isBusy = ({ mode }: Job) => mode !== "idle" && mode !== "stopped";
    while (this.#loops.some(isBusy)) await Promise.all(this.#loops.map((loop) => loop.idle()));
  }

  /** Begins one loop more. Returns whether one was left. */
  #more(): boolean {
    const idle = this.#loops.find(({ mode }) => mode === "idle");
    idle?.wake();
    return idle !== undefined;
  }

  get #mayLease(): boolean {
    const left = this.#restUntil - this.options.now().getTime();
    // A longer rest comes from a clock that was ahead then and has been corrected since.
    return !this.#isStopped && (left <= 0 || left > MAX_REST_MS);
  }

  #rest(ms: number): void {
    const until = this.options.now().getTime() + Math.min(ms, MAX_REST_MS);
    this.#restUntil = this.#mayLease ? until : Math.max(this.#restUntil, until);
  }

  async #deliverAll(): Promise<void> {
    let sent: SentBatch | undefined;
    do sent = await this.destinations.use(this.destination, (target) => this.#deliver(target, sent));
    while (sent);
  }

  /** Records the previous batch, then leases and sends the next one, if there is one. */
  async #deliver(target: DeliveryTarget, before: SentBatch | undefined): Promise<SentBatch | undefined> {
    const taken = await this.#exchange(target, before);
    if (isGone(before)) await this.options.onGone(this.destination);
    if (!taken) return undefined;
    const { batch, requests } = taken;
    if (batch.more) this.#more();
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
    if (!(before || this.#mayLease)) return undefined;
    return this.store.write(async (transaction) => {
      const at = now();
      await lockDestination(transaction, this.destination);
      if (before) await record(transaction, before, at, random());
      return this.#mayLease && !isGone(before)
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
      if (retryAfterMs) this.#rest(retryAfterMs);
      return { ok: false, error: message, throttled, retryAfterMs };
    }
    this.options.logger.error(
      { err: error, destination: this.destination },
      "sending events failed inside of the server",
    );
    return { ok: false, error: "failed inside of the server; its log says why" };
  }
}
