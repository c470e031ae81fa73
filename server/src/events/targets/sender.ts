import { parentPort } from "node:worker_threads";
import type { EventDestinationTarget } from "@tunnelplane/sdk";
import { present } from "@tunnelplane/sdk/contract";
import { openTarget } from ".";
import { type Columns, rowsOf, type Summary, summaryOf } from "./messages";
import { type DeliveryTarget, TargetError, type TargetErrorOptions, type TargetOptions } from "./target";

/** Messages to this thread. Numbers identify targets and batches. */
export type SenderOrder =
  | {
      readonly order: "open";
      readonly target: number;
      readonly of: EventDestinationTarget;
      readonly options: TargetOptions;
    }
  | { readonly order: "close"; readonly target: number }
  | { readonly order: "send"; readonly target: number; readonly batch: number; readonly columns: Columns }
  | { readonly order: "cancel"; readonly batch: number };

/** The answer about a batch. */
export type SenderReport = { readonly batch: number } & (
  | { readonly sent: Summary }
  | { readonly refused: TargetErrorOptions & { readonly message: string } }
  | { readonly failed: unknown }
);

const port = present(parentPort);
const targets = new Map<number, DeliveryTarget>();
const inFlight = new Map<number, AbortController>();

port.on("message", (order: SenderOrder) => {
  switch (order.order) {
    case "open":
      targets.set(order.target, openTarget(order.of, order.options));
      break;
    case "close":
      targets.get(order.target)?.close();
      targets.delete(order.target);
      break;
    case "send":
      void send(order).then((report) => port.postMessage(report));
      break;
    case "cancel":
      inFlight.get(order.batch)?.abort();
  }
});

async function send({
  target,
  batch,
  columns,
}: Extract<SenderOrder, { order: "send" }>): Promise<SenderReport> {
  const controller = new AbortController();
  inFlight.set(batch, controller);
  try {
    const events = rowsOf(columns);
    return {
      batch,
      sent: summaryOf(events, await present(targets.get(target)).send(events, controller.signal)),
    };
  } catch (error) {
    return { batch, ...(error instanceof TargetError ? { refused: refusalOf(error) } : { failed: error }) };
  } finally {
    inFlight.delete(batch);
  }
}

/** Copies an error's own fields, because messages between threads drop them. */
const refusalOf = ({ message, throttled, credentials, retryAfterMs }: TargetError) => ({
  message,
  throttled,
  credentials,
  retryAfterMs,
});
