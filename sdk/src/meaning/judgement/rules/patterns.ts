import type * as Re2 from "re2js";
import { messageOf } from "../../../contract/core/narrow";
import type { Program } from "./rewriteForm";
import { rememberingRefusals, Unservable } from "./unservable";

/** A text as an RE2 expression that finds just this text. */
export const escapeRegex = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

// Loaded on first use: few programs have patterns.
const compile = (pattern: string): Re2.RE2JS => (require("re2js") as typeof Re2).RE2JS.compile(pattern);

/** Envoy asks for a match of the whole text; this finds the pattern anywhere in it. */
export const searching = rememberingRefusals((pattern): string => {
  const whole = `(?s:.*)(?:${pattern})(?s:.*)`;
  try {
    // An open \Q would swallow the text behind the pattern; it then fails to compile here, and is not served.
    for (const expression of [pattern, whole]) compile(expression);
    return whole;
  } catch (error) {
    throw new Unservable(
      `the pattern ${JSON.stringify(pattern)} is not an RE2 expression that can be searched for: ${messageOf(error)}`,
    );
  }
});

/** The result of re2js for an expression: its program, and how many groups it has. */
export function programOf(pattern: string): { readonly program: Program; readonly groups: number } {
  // The types of re2js leave out the compiled program.
  const { re2Input } = compile(pattern) as unknown as { re2Input: { prog: Program; numSubexp: number } };
  return { program: re2Input.prog, groups: re2Input.numSubexp };
}

/** The characters of all texts whose results are remembered, of all patterns together. */
const MAX_KEPT = 4_000_000;
let remembered = 0;

/** An RE2 expression that remembers where it was found: a search takes longer than all else of a decision. */
class Search {
  readonly #found = new Map<string, boolean>();
  #compiled: Re2.RE2JS | undefined;

  constructor(private readonly pattern: string) {}

  finds(text: string): boolean {
    const known = this.#found.get(text);
    if (known !== undefined) return known;
    this.#compiled ??= compile(this.pattern);
    const found = this.#compiled.matcher(text).find();
    remembered += text.length + 32;
    if (remembered > MAX_KEPT) forgetAll();
    this.#found.set(text, found);
    return found;
  }

  forget(): void {
    this.#found.clear();
  }
}

const searches = new Map<string, Search>();
const MAX_SEARCHES = 10_000;

function forgetAll(): void {
  for (const search of searches.values()) search.forget();
  remembered = 0;
}

/** Whether an RE2 expression is found in a text. */
export function finds(pattern: string, text: string): boolean {
  let search = searches.get(pattern);
  if (!search) {
    if (searches.size >= MAX_SEARCHES) {
      forgetAll();
      searches.clear();
    }
    search = new Search(pattern);
    searches.set(pattern, search);
  }
  return search.finds(text);
}
