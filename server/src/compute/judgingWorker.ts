import {
  type BrokenGuarantee,
  evaluateGuarantees,
  type GuaranteeState,
  guaranteesBrokenBy,
  type World,
} from "@tunnelplane/sdk/meaning";
import { type Contradiction, contradictionAmong, type GuaranteesToCompare } from "./contradictions";
import { answerOrders } from "./threads";

type Fields = Readonly<Record<string, unknown>>;

/** A task for the thread, as JSON: a text is passed to a thread faster than objects are. */
export type JudgingOrder =
  /** Finds the guarantees that a change breaks. */
  | { readonly change: string }
  /** Finds out whether guarantees hold. */
  | { readonly states: string }
  /** Finds out whether some guarantees contradict others. */
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

/** The answer; it has the field that fits the task. */
export interface JudgingAnswer {
  readonly broken?: BrokenGuarantee[];
  readonly states?: GuaranteeState[];
  readonly contradiction?: Contradiction | undefined;
}

answerOrders(done);

function done(order: JudgingOrder): JudgingAnswer {
  if ("change" in order) {
    const { before, after, guarantees }: ChangeToJudge = JSON.parse(order.change);
    return { broken: guaranteesBrokenBy(before, after, guarantees) };
  }
  if ("states" in order) {
    const { world, guarantees }: StatesToJudge = JSON.parse(order.states);
    return { states: evaluateGuarantees(world, guarantees) };
  }
  const toCompare: GuaranteesToCompare = JSON.parse(order.contradictions);
  return { contradiction: contradictionAmong(toCompare) };
}
