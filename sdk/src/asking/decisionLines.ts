import { targetText } from "../meaning/judgement/backends/targetText";
import { type Decision, type DecisionStep, isLetIn } from "../meaning/judgement/types";
import { objectText } from "../meaning/names";
import { canonical } from "../meaning/values";
import { inOneLine } from "../terminal";

/** The exit code of a command that asks: 0 if the caller is let in, 3 if not, 4 if that is not known. */
export const exitCodeOf = (decision: Decision): 0 | 3 | 4 =>
  isLetIn(decision) ? 0 : decision.outcome === "unknown" ? 4 : 3;

/** A decision for people: what happens, and below it each step. */
export function linesOfDecision(decision: Decision, label = ""): string[] {
  const { sentence, goes_to, limited, steps } = decision;
  return [
    `${label}${inOneLine(sentence)}`,
    ...(goes_to ? [`   Goes to: ${inOneLine(targetText(goes_to))}`] : []),
    ...(limited ? ["   A rate limit may refuse it, too."] : []),
    ...steps.map((step, index) => `${String(index + 1).padStart(3)}. ${inOneLine(stepText(step))}`),
  ];
}

const stepText = (step: DecisionStep): string =>
  `${step.sentence} (${step.field} of the ${objectText(step)})`;

/** The decisions before and after a change for people: whether they differ, and each of them. */
export const linesOfChange = (before: Decision, after: Decision): string[] => [
  verdictOn(before, after),
  "",
  ...linesOfDecision(before, "Before: "),
  "",
  ...linesOfDecision(after, "After: "),
];

function verdictOn(before: Decision, after: Decision): string {
  if (before.outcome === "unknown" || after.outcome === "unknown")
    return "Whether anything changes for this request is not known.";
  if (isLetIn(before) !== isLetIn(after))
    return isLetIn(after)
      ? "It changes: this request is let in after, and was not before."
      : "It changes: this request is not let in any more.";
  const letIn = isLetIn(after) ? "let in" : "not let in";
  if (endOf(before) !== endOf(after))
    return `It changes: this request is ${letIn} as before, but ends differently.`;
  return canonical(before.steps) === canonical(after.steps)
    ? `Nothing changes: this request is ${letIn} as before.`
    : `This request is ${letIn} and ends as before; what is checked on its way changes.`;
}

/** The parts of a decision that a caller, or the owner of a backend, can notice. */
const endOf = ({ outcome, status, goes_to, limited }: Decision): string =>
  canonical({ outcome, status, goes_to, limited });
