import type { Worker } from "node:worker_threads";
import type { EventDestinationTarget } from "@tunnelplane/sdk";
import { Thread } from "../../util";
import { openTarget } from ".";
import { columnsOf, sentOf } from "./messages";
import type { SenderOrder, SenderReport } from "./sender";
import { type DeliveryTarget, type Sent, TargetError, type TargetOptions } from "./target";

interface Waiting {
  /** How many events the batch has. */
  readonly count: number;
  resolve(sent: Sent[]): void;
  reject(error: unknown): void;
}

/**
 * Sends from its own thread: writing, signing and reading a request of hundreds of events takes milliseconds,
 * which would block the server's other requests. The thread starts with the first batch and ends with the
 * last target. If it fails, the batches in flight fail too, and the next batch starts a new thread.
 */
export class TargetThread {
  readonly #open = new Set<number>();
  readonly #waiting = new Map<number, Waiting>();
  readonly #thread = new Thread<SenderOrder, SenderReport>({
    file: require.resolve("./sender"),
    name: "targets",
    task: "sends events",
    onReport: (report) => this.#receive(report),
    onFailure: (error) => {
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    },
  });
  #numbers = 0;

  /** Opens a target as {@link openTarget} does, but for its `send`, which runs in the thread. */
  readonly openTarget = (of: EventDestinationTarget, options: TargetOptions): DeliveryTarget => {
    const described = openTarget(of, options);
    const target = ++this.#numbers;
    this.#open.add(target);
    let openedIn: Worker | undefined;
    return {
      ...described,
      send: async (events, signal) => {
        signal.throwIfAborted();
        const worker = this.#thread.running();
        if (openedIn !== worker) this.#thread.send({ order: "open", target, of, options });
        openedIn = worker;
        const batch = ++this.#numbers;
        this.#thread.send({ order: "send", target, batch, columns: columnsOf(events) });
        return this.#answerTo(batch, events.length, signal);
      },
      close: () => {
        this.#open.delete(target);
        if (this.#open.size === 0) void this.#thread.end();
        else if (openedIn && openedIn === this.#thread.current) this.#thread.send({ order: "close", target });
      },
    };
  };

  async #answerTo(batch: number, count: number, signal: AbortSignal): Promise<Sent[]> {
    const order: SenderOrder = { order: "cancel", batch };
    const cancel = () => this.#thread.current?.postMessage(order);
    signal.addEventListener("abort", cancel);
    try {
      return await new Promise<Sent[]>((resolve, reject) => {
        this.#waiting.set(batch, { count, resolve, reject });
      });
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  #receive(report: SenderReport): void {
    const waiting = this.#waiting.get(report.batch);
    this.#waiting.delete(report.batch);
    if ("sent" in report) waiting?.resolve(sentOf(waiting.count, report.sent));
    else if ("refused" in report) waiting?.reject(new TargetError(report.refused.message, report.refused));
    else waiting?.reject(report.failed);
  }
}
