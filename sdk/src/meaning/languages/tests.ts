/** A question about a text, with the answer yes or no. */
export type TextTest =
  | { readonly exact: string }
  | { readonly prefix: string }
  | { readonly suffix: string }
  | { readonly contains: string }
  /** An RE2 expression, searched for. */
  | { readonly regex: string }
  | { readonly any: readonly TextTest[] };

/** RE2 expressions, one of which is found in a text exactly if the test holds for it. */
export function expressionsOf(test: TextTest): readonly string[] {
  if ("any" in test) return test.any.flatMap(expressionsOf);
  if ("exact" in test) return [`\\A${quoted(test.exact)}\\z`];
  if ("prefix" in test) return [`\\A${quoted(test.prefix)}`];
  if ("suffix" in test) return [`${quoted(test.suffix)}\\z`];
  if ("contains" in test) return [quoted(test.contains)];
  return [test.regex];
}

/** A text as an RE2 expression that finds just this text. */
export const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
