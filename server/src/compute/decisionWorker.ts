import { present } from "@tunnelplane/sdk/contract";
import {
  type Comparison,
  compare,
  type Decision,
  type DecisionRequest,
  decisions,
  type World,
} from "@tunnelplane/sdk/meaning";
import { answerOrders } from "./threads";

export interface ToDecide {
  readonly world: World;
  readonly requests: readonly DecisionRequest[];
}

export interface ToCompare {
  readonly before: World;
  readonly after: World;
  readonly now: Date;
}

/** One of both. */
export interface DecisionOrder {
  readonly toDecide?: ToDecide;
  readonly toCompare?: ToCompare;
}

export interface DecisionAnswer {
  readonly decisions?: Decision[];
  readonly comparison?: Comparison;
}

answerOrders(done);

function done({ toDecide, toCompare }: DecisionOrder): DecisionAnswer {
  if (toCompare) {
    const { before, after, now } = toCompare;
    // The server judges guarantees by itself, on what decides at their addresses.
    return { comparison: compare(before, after, { now, evaluatesGuarantees: false }) };
  }
  const { world, requests } = present(toDecide);
  const decider = decisions(world);
  return { decisions: requests.map((request) => decider.decide(request)) };
}
