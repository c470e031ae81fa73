import type { Example } from "../access/changes";
import { newRoom } from "../access/room";
import type { Decision, DecisionRequest } from "../judgement/types";
import { Model, pairOf } from "../model";
import type { Fields } from "../values";
import type { World } from "../world";
import { GuaranteeEvaluator } from "./evaluator";
import { type Guarantee, readGuarantee } from "./guarantee";

/** The state of a guarantee in one world. */
export interface GuaranteeState {
  /** `unproved`: no request was found that breaks it, but not every one could be decided. */
  readonly state: "holds" | "broken" | "unproved";
  /** How many of the declared addresses it covers. */
  readonly covered: number;
  /** Of a broken one: a request that breaks it, and what happens to it. */
  readonly example?: {
    readonly request: DecisionRequest;
    readonly decision: Decision;
    /** Both in one line, with names in place of ids; only in comparisons. */
    readonly sentence?: string;
  };
  /** Why it is unproved. */
  readonly reason?: string;
}

/** The states of guarantees in a world, in their order. */
export function evaluateGuarantees(world: World, guarantees: readonly Fields[]): GuaranteeState[] {
  const model = new Model(world);
  const room = newRoom();
  const evaluator = new GuaranteeEvaluator(model, model, room);
  return guarantees.map((fields) => {
    Object.assign(room, newRoom()); // each by itself: its state says nothing about the others
    return stateOf(evaluator, readGuarantee(fields));
  });
}

export const evaluateGuarantee = (world: World, guarantee: Fields): GuaranteeState =>
  evaluateGuarantees(world, [guarantee])[0] ?? NOT_KNOWN;

const NOT_KNOWN: GuaranteeState = {
  state: "unproved",
  covered: 0,
  reason: "Not all of its fields are known yet.",
};

/** @param evaluator of one world */
export function stateOf(evaluator: GuaranteeEvaluator, guarantee: Guarantee | undefined): GuaranteeState {
  if (!guarantee) return NOT_KNOWN;
  const { covered, broken, unproved } = evaluator.evaluate(guarantee);
  if (broken)
    return { state: "broken", covered, example: { request: broken.request, decision: broken.after } };
  return unproved === undefined
    ? { state: "holds", covered }
    : { state: "unproved", covered, reason: unproved };
}

/** A guarantee that a change breaks. */
export interface BrokenGuarantee {
  /** Its index among those that were evaluated. */
  readonly index: number;
  /** A request that breaks it after the change and did not before. */
  readonly example?: Example;
  /** Or why it cannot be proved any more. */
  readonly reason?: string;
}

/**
 * The guarantees that a change breaks, or makes impossible to prove. Worlds may hold only the objects that
 * decide at the addresses that the change can touch: a guarantee that is broken in both is not counted.
 */
export function guaranteesBrokenBy(
  before: World,
  after: World,
  guarantees: readonly Fields[],
): BrokenGuarantee[] {
  const [past, present] = pairOf(before, after);
  const room = newRoom();
  const evaluators = {
    both: new GuaranteeEvaluator(past, present, room),
    before: new GuaranteeEvaluator(past, past, newRoom()),
  };
  return guarantees.flatMap((fields, index): BrokenGuarantee[] => {
    const guarantee = readGuarantee(fields);
    if (!guarantee) return [];
    const { broken, unproved } = evaluators.both.evaluate(guarantee, { onlyNew: true });
    if (broken) {
      const { isNew: _, ...example } = broken;
      return [{ index, example }];
    }
    const held = unproved !== undefined && stateOf(evaluators.before, guarantee).state === "holds";
    return held ? [{ index, reason: unproved }] : [];
  });
}
