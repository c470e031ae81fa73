import { decidedWords } from "../access/words";
import { type ObjectChange, pairedIn } from "../changes/differences";
import type { Model, ModelObject } from "../model";
import { type Named, Names, named } from "../names";
import { textIn } from "../values";
import { type Guarantee, readGuarantee } from "./guarantee";
import { Judge } from "./judge";
import { type GuaranteeState, stateOf } from "./states";
import { guaranteeWords } from "./words";

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
export interface JudgedGuarantee {
  readonly change: ObjectChange;
  readonly states: GuaranteeChange;
}

/** Every guarantee of either world, by name. */
export function guaranteesIn(before: Model, after: Model): JudgedGuarantee[] {
  const pairs = [...pairedIn(before.of("guarantee"), after.of("guarantee")).values()];
  if (pairs.length === 0) return [];
  const judges = { before: new Judge(before, before), after: new Judge(after, after) };
  const names = new Names(before, after);
  const state = (side: "before" | "after", thing: ModelObject | undefined): GuaranteeState | null =>
    thing ? withSentence(stateOf(judges[side], read(thing)), names) : null;
  return pairs.flatMap((change) => {
    const thing = change.after ?? change.before;
    if (!thing) return [];
    const states: GuaranteeChange = {
      ...named(thing),
      mode: textIn(thing.fields.mode) === "report" ? "report" : "enforce",
      sentence: guaranteeWords(thing.fields),
      before: state("before", change.before),
      after: state("after", change.after),
    };
    return [{ change, states }];
  });
}

function withSentence({ example, ...state }: GuaranteeState, names: Names): GuaranteeState {
  if (!example) return state;
  const sentence = decidedWords(example.request, example.decision, names.of);
  return { ...state, example: { ...example, sentence } };
}

const read = ({ fields }: ModelObject): Guarantee | undefined => readGuarantee(fields);
