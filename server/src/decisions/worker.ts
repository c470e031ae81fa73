import { parentPort } from "node:worker_threads";
import { present } from "@tunnelplane/sdk/contract";
import { type Decision, type DecisionRequest, decisions, type World } from "@tunnelplane/sdk/meaning";
import type { SharedReport } from "../util";

export interface ToDecide {
  readonly world: World;
  readonly requests: readonly DecisionRequest[];
}

const port = present(parentPort);

port.on("message", ({ world, requests }: ToDecide) => {
  let report: SharedReport<Decision[]>;
  try {
    const decider = decisions(world);
    report = { found: requests.map((request) => decider.decide(request)) };
  } catch (failed) {
    report = { failed };
  }
  port.postMessage(report);
});
