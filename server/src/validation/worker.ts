import { parentPort } from "node:worker_threads";
import { present } from "@tunnelplane/sdk/contract";
import { lowerPriority, type SharedReport } from "../util";
import { type Findings, type Purpose, validate } from "./validate";

/** A body to be checked, as JSON. */
export interface BodyToCheck extends Purpose {
  readonly json: string;
}

const port = present(parentPort);
lowerPriority();

port.on("message", ({ json, ...purpose }: BodyToCheck) => {
  let report: SharedReport<Findings>;
  try {
    report = { found: validate(purpose, JSON.parse(json)) };
  } catch (failed) {
    report = { failed };
  }
  port.postMessage(report);
});
