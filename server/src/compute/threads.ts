import { parentPort } from "node:worker_threads";
import { present } from "@tunnelplane/sdk/contract";
import { lowerPriority, type SharedReport, SharedThread, type SharedThreadOptions } from "../util";

/** The whole of a shared thread's file: answers each order with its result, or with the error. */
export function answerOrders<Order, Result>(work: (order: Order) => Result): void {
  const port = present(parentPort);
  lowerPriority();
  port.on("message", (order: Order) => {
    let report: SharedReport<Result>;
    try {
      report = { found: work(order) };
    } catch (failed) {
      report = { failed };
    }
    port.postMessage(report);
  });
}

/** How long one order may wait for its turn, in milliseconds. */
const MAX_WAIT_MS = 5_000;

interface Options<Order>
  extends Pick<SharedThreadOptions<Order>, "name" | "task" | "work" | "threads" | "longest"> {
  /** The file next to this one, without its ending. */
  readonly worker: "decisionWorker" | "judgingWorker" | "validationWorker";
  /** The limits in MiB. A larger young generation stays with the process once the thread has ended. */
  readonly memory: { readonly old: number; readonly young: number };
}

/** The threads of one kind of work. */
export const threadsOf = <Order, Result>({ worker, memory, ...options }: Options<Order>) =>
  new SharedThread<Order, Result>({
    ...options,
    file: require.resolve(`./${worker}`),
    maxWaitMs: MAX_WAIT_MS,
    resourceLimits: { maxOldGenerationSizeMb: memory.old, maxYoungGenerationSizeMb: memory.young },
  });
