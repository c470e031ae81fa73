import { parentPort } from "node:worker_threads";
import { present } from "@tunnelplane/sdk/contract";
import { lowerPriority, type SharedReport } from "../util";

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
