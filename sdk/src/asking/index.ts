import "../nodeVersion";

/**
 * Asking what happens to a request, on a command line: reads the question, and puts the decision into words.
 * Every command that asks takes the same options and prints the same lines.
 */
export { certificateIn } from "./certificate";
export { exitCodeOf, linesOfChange, linesOfDecision } from "./decisionLines";
export { type AskedOptions, askingOptions } from "./options";
export { type Question, QuestionError, questionIn } from "./question";
