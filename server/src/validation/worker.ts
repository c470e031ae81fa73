import { type MessagePort, parentPort } from "node:worker_threads";
import { type Findings, type Purpose, validate } from "./validate";

/** A body to be checked, as JSON. */
export interface Order extends Purpose {
  readonly number: number;
  readonly json: string;
}

/** What was found out, or what went wrong. */
export type Report = { readonly number: number } & ({ readonly found: Findings } | { readonly failed: unknown });

const port = parentPort as MessagePort;

port.on("message", ({ number, json, ...purpose }: Order) => {
  let report: Report;
  try {
    report = { number, found: validate(purpose, JSON.parse(json)) };
  } catch (failed) {
    report = { number, failed };
  }
  port.postMessage(report);
});
