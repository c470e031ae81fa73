import type { TextTest as OneTest } from "../judgement/rules/condition";
import { escapeRegex } from "../judgement/rules/patterns";

/** A question about a text, with the answer yes or no. */
export type TextTest = OneTest | { readonly any: readonly TextTest[] };

/** RE2 expressions. The test holds for a text exactly if at least one of them is found in it. */
export function expressionsOf(test: TextTest): readonly string[] {
  if ("any" in test) return test.any.flatMap(expressionsOf);
  if ("exact" in test) return [`\\A${escapeRegex(test.exact)}\\z`];
  if ("prefix" in test) return [`\\A${escapeRegex(test.prefix)}`];
  if ("suffix" in test) return [`${escapeRegex(test.suffix)}\\z`];
  if ("contains" in test) return [escapeRegex(test.contains)];
  return [test.regex];
}
