import type { Example } from "../access/changes";
import { exampleText } from "../access/requestText";
import type { ObjectChange } from "../changes/differences";
import { decisionsIn } from "../decision/decider";
import type { EvaluatedGuarantee } from "../guarantees/changes";
import { guaranteeText } from "../guarantees/guaranteeText";
import { isWeakened } from "../guarantees/weakened";
import { code, quotable } from "../names";
import { canonical, type Fields, shortHash, textIn } from "../values";
import { type Context, type Draft, type Finding, onObject, type Rule } from "./finding";

/** Rules for the declared fields of guarantees. */
export const guaranteeRules: readonly Rule<ObjectChange>[] = [
  {
    rule: "guarantee-weakened",
    evaluate: ({ before, after }, { names }) => {
      if (before?.kind !== "guarantee") return [];
      const [was, is] = [guaranteeText(before.fields), after && guaranteeText(after.fields)];
      if (!after || is === undefined) {
        const sentence = `The guarantee ${names.quote(before)} is deleted: that ${was} need not hold any more.`;
        return [onObject(before, undefined, { sentence, before: was, after: null })];
      }
      if (!isWeakened(before.fields, after.fields)) return [];
      const sentence = `The guarantee ${names.quote(after)} is weaker than before.`;
      return [onObject(after, undefined, { sentence, namesFields: true, before: was, after: is })];
    },
  },
];

/** Rules for whether guarantees hold. */
export const heldRules: readonly Rule<EvaluatedGuarantee>[] = [
  {
    rule: "guarantee-broken",
    evaluate: ({ change: { after: thing }, states }, context) => {
      const { before, after, mode, sentence } = states;
      if (!thing || before?.state === "broken" || !after || after.state === "holds") return [];
      const promise = `that ${sentence}`;
      const common = { about: thing, before: before?.state ?? null, after: after.state, cause: thing };
      const name = `The ${before ? "" : "new "}guarantee ${context.names.quote(thing)}`;
      if (after.state === "unproved")
        return before?.state !== "holds"
          ? []
          : [
              {
                ...common,
                severity: "medium",
                sentence: `${name} cannot be proved any more (${promise}): ${after.reason ?? "not everything is known"}`,
                certain: false,
              },
            ];
      return [
        {
          ...common,
          ...(mode === "report" && { severity: "medium" as const }),
          sentence: `${name} does not hold${before ? " any more" : ""}: ${promise}. ${thenText(mode, before === null)}`,
          ...exampleIn(after, context),
        },
      ];
    },
  },
];

/**
 * The finding about a guarantee that a change breaks and that somebody who may sets aside.
 *
 * @param project the name of its project
 */
export function findingSetAside({
  id,
  fields,
  project,
  example,
  reason,
}: {
  readonly id: string;
  readonly fields: Fields;
  readonly project: string;
  readonly example?: Example | undefined;
  readonly reason?: string | undefined;
}): Finding {
  const name = quotable(textIn(fields.description) ?? id);
  const sentence = `The guarantee ${code(name)}${name === id ? "" : ` (${id})`} of the project ${code(project)} is set aside: that ${guaranteeText(fields)} ${example ? "does not hold any more" : `cannot be proved any more: ${reason}`}.`;
  return {
    hash: shortHash(canonical(["guarantee-broken", name, project, guaranteeText(fields), example?.request])),
    rule: "guarantee-broken",
    severity: "high",
    kind: "guarantee",
    name,
    id,
    sentence,
    before: "holds",
    after: example ? "broken" : "unproved",
    cause: { id, kind: "guarantee", name },
    offStack: false,
    certain: example !== undefined,
    ...(example && { example: { ...example, sentence: exampleText(example) }, proved: true }),
  };
}

const thenText = (mode: "enforce" | "report", isNew: boolean): string =>
  mode === "report"
    ? "It reports this and refuses nothing."
    : isNew
      ? "The server refuses nothing because of it until it holds."
      : "The server refuses such a change.";

const exampleIn = (
  { example }: NonNullable<EvaluatedGuarantee["states"]["after"]>,
  { before }: Context,
): Pick<Draft, "example" | "proved"> => {
  if (!example) return {};
  const { request, decision } = example;
  const was = decisionsIn(before, before.world.ports).decide(request);
  return { example: { request, before: was, after: decision }, proved: true };
};
