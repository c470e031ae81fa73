import { parentPort } from "node:worker_threads";
import { present } from "@tunnelplane/sdk/contract";
import {
  type BrokenGuarantee,
  contradiction,
  type DecisionRequest,
  type GuaranteeState,
  guaranteesBrokenBy,
  judgeGuarantees,
  type World,
} from "@tunnelplane/sdk/meaning";
import type { SharedReport } from "../util";

type Fields = Readonly<Record<string, unknown>>;

/** What is to be judged, as JSON: a text is passed to a thread faster than objects are. */
export type Order =
  /** Which guarantees a change breaks. */
  | { readonly change: string }
  /** Whether guarantees hold. */
  | { readonly states: string }
  /** Whether some guarantees contradict others. */
  | { readonly contradictions: string };

export interface ChangeToJudge {
  readonly before: World;
  readonly after: World;
  readonly guarantees: readonly Fields[];
}

export interface StatesToJudge {
  readonly world: World;
  readonly guarantees: readonly Fields[];
}

export interface GuaranteesToCompare {
  readonly some: readonly Fields[];
  readonly others: readonly Fields[];
}

export interface Contradiction {
  readonly some: number;
  readonly other: number;
  readonly request: DecisionRequest;
}

/** One of them, as was asked for. */
export interface Done {
  readonly broken?: BrokenGuarantee[];
  readonly states?: GuaranteeState[];
  readonly contradiction?: Contradiction;
}

const port = present(parentPort);

port.on("message", (order: Order) => {
  let report: SharedReport<Done>;
  try {
    report = { found: done(order) };
  } catch (failed) {
    report = { failed };
  }
  port.postMessage(report);
});

function done(order: Order): Done {
  if ("change" in order) {
    const { before, after, guarantees }: ChangeToJudge = JSON.parse(order.change);
    return { broken: guaranteesBrokenBy(before, after, guarantees) };
  }
  if ("states" in order) {
    const { world, guarantees }: StatesToJudge = JSON.parse(order.states);
    return { states: judgeGuarantees(world, guarantees) };
  }
  const { some, others }: GuaranteesToCompare = JSON.parse(order.contradictions);
  for (const [index, one] of some.entries())
    for (const [other, another] of others.entries()) {
      const request = one === another ? undefined : contradiction(one, another);
      if (request) return { contradiction: { some: index, other, request } };
    }
  return {};
}
