import { remembering } from "../../contract/core/once";
import type { TextTest as OneTest } from "../judgement/rules/condition";
import { escapeRegex } from "../judgement/rules/patterns";
import { type Alphabet, alphabetOf, type Letter, type Range } from "./alphabet";
import { Automaton, Budget, FOUND, LOST, TooLarge } from "./automaton";
import { type Program, programOf } from "./program";

/** A question about a text, with the answer yes or no. */
export type TextTest = OneTest | { readonly any: readonly TextTest[] };

/** RE2 expressions. The test holds for a text exactly if at least one of them is found in it. */
function expressionsOf(test: TextTest): readonly string[] {
  if ("any" in test) return test.any.flatMap(expressionsOf);
  if ("exact" in test) return [`\\A${escapeRegex(test.exact)}\\z`];
  if ("prefix" in test) return [`\\A${escapeRegex(test.prefix)}`];
  if ("suffix" in test) return [`${escapeRegex(test.suffix)}\\z`];
  if ("contains" in test) return [escapeRegex(test.contains)];
  return [test.regex];
}

/** The texts that a part of a request can be. */
export interface Language {
  /** The characters that they may hold. */
  readonly characters: readonly Range[];
  /** Tests that hold for each of them. */
  readonly all: readonly TextTest[];
  /** Tests that hold for none of them. */
  readonly none: readonly TextTest[];
  /** Texts that people know. If one is in a cell, it represents the cell. */
  readonly familiar: readonly string[];
}

/** The texts of a language for which some tests give the same answers. */
export interface Cell {
  /** One of the texts. */
  readonly text: string;
  /** The answers, in the order of the tests. */
  readonly holds: readonly boolean[];
}

/** Bounds the cells as well, since a state belongs to one cell. */
const MAX_STATES = 5_000;
/** About two seconds of work. Ordinary questions take less than 100,000 steps. */
const MAX_STEPS = 10_000_000;

/**
 * One text for every combination of answers that some tests of a text can give together. This is a proof: for
 * a combination without a cell, there is no text.
 *
 * The automata of all tests run side by side; their states together are a state of the product. A search,
 * breadth first, visits every state of the product that a text of the language leads to. The first text that
 * leads to a state is a shortest one.
 * @throws {TooLarge} if the product has more than 5,000 states
 */
export function cellsOf(language: Language, tests: readonly TextTest[]): readonly Cell[] {
  const product = new Product(language, tests);
  const cells = new Map<string, Cell>();
  const add = (state: ProductState | undefined, text: string) => {
    const holds = state && product.answers(state);
    if (holds && !cells.has(holds.join())) cells.set(holds.join(), { text, holds });
  };
  for (const text of language.familiar) add(product.after(text), text);
  const open = [{ state: product.start, text: "" }];
  const met = new Set([product.start.join()]);
  for (const { state, text } of open) {
    add(state, text);
    for (const letter of product.alphabet.letters) {
      const next = product.step(state, letter);
      const key = next?.join();
      if (!next || key === undefined || met.has(key)) continue;
      if (met.size === MAX_STATES) throw new TooLarge(`they have more than ${MAX_STATES} states`);
      met.add(key);
      open.push({ state: next, text: text + String.fromCodePoint(letter.character) });
    }
  }
  return [...cells.values()];
}

/** The states of all automata: those that must accept, those that must not, and those of the tests. */
type ProductState = readonly number[];

class Product {
  readonly alphabet: Alphabet;
  readonly start: ProductState;
  readonly #automata: readonly Automaton[];
  readonly #budget = new Budget(MAX_STEPS);
  readonly #must: number;
  readonly #mustNot: number;

  constructor({ all, none, characters }: Language, tests: readonly TextTest[]) {
    const programs = [...all, { any: none }, ...tests].map(programsOf);
    this.alphabet = alphabetOf(programs.flat(), characters);
    this.#automata = programs.map((tested) => new Automaton(tested, this.#budget));
    this.start = this.#automata.map(({ start }) => start);
    this.#must = all.length;
    this.#mustNot = all.length + 1;
  }

  /** Undefined if no text of the language goes on so. */
  step(state: ProductState, letter: Letter): ProductState | undefined {
    this.#budget.spend(state.length);
    const next = this.#automata.map((automaton, index) => automaton.step(state[index] as number, letter));
    const isLeft = next.slice(0, this.#must).includes(LOST) || next[this.#must] === FOUND;
    return isLeft ? undefined : next;
  }

  after(text: string): ProductState | undefined {
    return [...text].reduce<ProductState | undefined>((state, character) => {
      const letter = this.alphabet.letterOf(character.codePointAt(0) as number);
      return state && letter && this.step(state, letter);
    }, this.start);
  }

  /** The answers of the tests for a text that ends here; undefined if it is not in the language. */
  answers(state: ProductState): readonly boolean[] | undefined {
    const accepted = state.map((automatonState, index) =>
      (this.#automata[index] as Automaton).accepts(automatonState),
    );
    if (accepted.slice(0, this.#must).includes(false) || accepted[this.#must]) return undefined;
    return accepted.slice(this.#mustNot);
  }
}

/** Programs take time to compile, and few different ones are asked for again and again. */
const MAX_KNOWN = 1_000;
const remembered = remembering(MAX_KNOWN, programOf);

const programsOf = (test: TextTest): Program[] =>
  expressionsOf(test).map((expression) => remembered(expression));
