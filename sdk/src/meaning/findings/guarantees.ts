import type { ObjectChange } from "../changes/differences";
import { decisionsIn } from "../decision/decider";
import type { JudgedGuarantee } from "../guarantees/changes";
import { isWeakened } from "../guarantees/weakened";
import { guaranteeWords } from "../guarantees/words";
import type { Context, Draft, Rule } from "./finding";

/** Rules for the declared fields of guarantees. */
export const guaranteeRules: readonly Rule<ObjectChange>[] = [
  {
    rule: "guarantee-weakened",
    severity: "high",
    judge: ({ before, after }, { names }) => {
      if (before?.kind !== "guarantee") return [];
      const [was, is] = [guaranteeWords(before.fields), after && guaranteeWords(after.fields)];
      if (!after || is === undefined)
        return [
          {
            about: before,
            sentence: `The guarantee ${names.quote(before)} is deleted: that ${was} need not hold any more.`,
            before: was,
            after: null,
            cause: before,
          },
        ];
      if (!isWeakened(before.fields, after.fields)) return [];
      return [
        {
          about: after,
          sentence: `The guarantee ${names.quote(after)} is weaker than before.`,
          namesFields: true,
          before: was,
          after: is,
          cause: after,
        },
      ];
    },
  },
];

/** Rules for whether guarantees hold. */
export const heldRules: readonly Rule<JudgedGuarantee>[] = [
  {
    rule: "guarantee-broken",
    severity: "high",
    judge: ({ change: { after: thing }, states }, context) => {
      const { before, after, mode, sentence } = states;
      if (!thing || before?.state === "broken" || !after || after.state === "holds") return [];
      const said = `that ${sentence}`;
      const common = { about: thing, before: before?.state ?? null, after: after.state, cause: thing };
      const name = `The ${before ? "" : "new "}guarantee ${context.names.quote(thing)}`;
      if (after.state === "unproved")
        return before?.state !== "holds"
          ? []
          : [
              {
                ...common,
                severity: "medium",
                sentence: `${name} cannot be proved any more (${said}): ${after.reason ?? "not everything is known"}`,
                certain: false,
              },
            ];
      return [
        {
          ...common,
          ...(mode === "report" && { severity: "medium" as const }),
          sentence: `${name} does not hold${before ? " any more" : ""}: ${said}. ${thenWords(mode, before === null)}`,
          ...exampleIn(after, context),
        },
      ];
    },
  },
];

const thenWords = (mode: "enforce" | "report", isNew: boolean): string =>
  mode === "report"
    ? "It reports this and refuses nothing."
    : isNew
      ? "The server refuses nothing because of it until it holds."
      : "The server refuses such a change.";

const exampleIn = (
  { example }: NonNullable<JudgedGuarantee["states"]["after"]>,
  { before }: Context,
): Pick<Draft, "example" | "proved"> => {
  if (!example) return {};
  const { request, decision } = example;
  const was = decisionsIn(before, before.world.ports).decide(request);
  return { example: { request, before: was, after: decision }, proved: true };
};
