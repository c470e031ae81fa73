import { decidedText } from "../access/requestText";
import { type ObjectChange, pairedIn } from "../changes/differences";
import type { Model, ModelObject } from "../model";
import { type Named, Names, named } from "../names";
import { textIn } from "../values";
import { GuaranteeEvaluator } from "./evaluator";
import { type Guarantee, readGuarantee } from "./guarantee";
import { guaranteeText } from "./guaranteeText";
import { type GuaranteeState, stateOf } from "./states";

/** A guarantee in two worlds. */
export interface GuaranteeChange extends Named {
  readonly mode: "enforce" | "report";
  /** What must hold: "requests to `*:443/admin` without a client certificate are refused". */
  readonly sentence: string;
  /** Null if it is not declared; the same for `after`. */
  readonly before: GuaranteeState | null;
  readonly after: GuaranteeState | null;
}

/** A guarantee with its states, for rules of findings. */
export interface EvaluatedGuarantee {
  readonly change: ObjectChange;
  readonly states: GuaranteeChange;
}

/** Every guarantee of either world, by name. */
export function guaranteesIn(before: Model, after: Model): EvaluatedGuarantee[] {
  const pairs = [...pairedIn(before.of("guarantee"), after.of("guarantee")).values()];
  if (pairs.length === 0) return [];
  const evaluators = {
    before: new GuaranteeEvaluator(before, before),
    after: new GuaranteeEvaluator(after, after),
  };
  const names = new Names(before, after);
  const state = (side: "before" | "after", thing: ModelObject | undefined): GuaranteeState | null =>
    thing ? withSentence(stateOf(evaluators[side], read(thing)), names) : null;
  return pairs.flatMap((change) => {
    const thing = change.after ?? change.before;
    if (!thing) return [];
    const states: GuaranteeChange = {
      ...named(thing),
      mode: textIn(thing.fields.mode) === "report" ? "report" : "enforce",
      sentence: guaranteeText(thing.fields),
      before: state("before", change.before),
      after: state("after", change.after),
    };
    return [{ change, states }];
  });
}

function withSentence({ example, ...state }: GuaranteeState, names: Names): GuaranteeState {
  if (!example) return state;
  const sentence = decidedText(example.request, example.decision, names.of);
  return { ...state, example: { ...example, sentence } };
}

const read = ({ fields }: ModelObject): Guarantee | undefined => readGuarantee(fields);
