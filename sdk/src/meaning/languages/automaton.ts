import type { Letter } from "./alphabet";
import { AT, EVERYWHERE, type Instruction, type Program } from "./program";

/** A question that cannot be decided within the bounds. */
export class TooLarge extends Error {}

/** Bounds the work on one question. Steps are counted, not timed, so every machine gives the same answer. */
export class Budget {
  constructor(private left: number) {}

  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new TooLarge("they take too many steps to decide");
  }
}

interface State {
  /** The instructions that come next: where reading the last letter led. */
  readonly at: readonly number[];
  /** Undefined at the beginning of a text. */
  readonly last?: Letter;
  readonly after: Map<Letter, number>;
  isFoundAtEnd?: boolean;
}

/** The state of texts in which an expression was found, however they go on. */
export const FOUND = 0;
/** The state of texts in which none will be found, however they go on. */
export const LOST = 1;
const [NOTHING_NEXT, FIRST_FREE] = ["", 2];

/**
 * Says of a text, letter by letter, whether at least one of some expressions is found in it.
 *
 * This is the subset construction: programs are nondeterministic automata, and a state of this automaton is
 * the set of all their instructions that may come next. States are made when they are first reached, because
 * most never are.
 */
export class Automaton {
  readonly start: number;
  readonly #program: Program;
  /** Where programs begin, to search at every place of a text. */
  readonly #begins: readonly number[];
  readonly #states: State[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(
    programs: readonly Program[],
    private readonly budget: Budget,
  ) {
    const begins: number[] = [];
    const joined: Instruction[] = [];
    for (const program of programs) {
      const first = joined.length;
      begins.push(first);
      joined.push(...program.map((instruction) => moved(instruction, first)));
    }
    this.#program = joined;
    // A program that asks for the begin of the text can begin nowhere else.
    this.#begins = begins.filter((begin) =>
      this.#reachedFrom([begin], EVERYWHERE & ~AT.textBegin).some((at) => isWork(this.#instruction(at))),
    );
    this.#states.length = FIRST_FREE;
    this.start = this.#numberOf(begins, undefined);
  }

  /** The state after one more letter. */
  step(state: number, letter: Letter): number {
    if (state < FIRST_FREE) return state;
    const { at, last, after } = this.#state(state);
    const known = after.get(letter);
    if (known !== undefined) return known;
    const reached = this.#reachedFrom(at, conditionsBetween(last, letter));
    const next = reached.flatMap((index) => {
      const instruction = this.#instruction(index);
      const reads = typeof instruction === "object" && "reads" in instruction;
      return reads && letter.sets.has(instruction.reads) ? instruction.next : [];
    });
    const isFound = reached.some((index) => this.#instruction(index) === "found");
    const number = isFound ? FOUND : this.#numberOf([...next, ...this.#begins], letter);
    after.set(letter, number);
    return number;
  }

  /** Whether an expression is found in a text that ends here. */
  accepts(state: number): boolean {
    if (state < FIRST_FREE) return state === FOUND;
    const found = this.#state(state);
    found.isFoundAtEnd ??= this.#reachedFrom(found.at, conditionsBetween(found.last, undefined)).some(
      (at) => this.#instruction(at) === "found",
    );
    return found.isFoundAtEnd;
  }

  #numberOf(instructions: readonly number[], last: Letter | undefined): number {
    const at = [...new Set(instructions)].sort((a, b) => a - b);
    const key = at.length === 0 ? NOTHING_NEXT : `${at.join()} ${kindOf(last)}`;
    if (key === NOTHING_NEXT) return LOST;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.#states.length);
    return this.#states.push({ at, last, after: new Map() }) - 1;
  }

  /** All instructions that are reached without reading a letter, where some conditions hold. */
  #reachedFrom(starts: readonly number[], conditions: number): number[] {
    const reached = new Set(starts);
    for (const at of reached) {
      const instruction = this.#instruction(at);
      if (typeof instruction === "string") continue;
      if ("oneOf" in instruction) for (const next of instruction.oneOf) reached.add(next);
      if ("where" in instruction && (instruction.where & ~conditions) === 0) reached.add(instruction.next);
    }
    this.budget.spend(reached.size);
    return [...reached];
  }

  #instruction = (at: number): Instruction => this.#program[at] as Instruction;
  #state = (number: number): State => this.#states[number] as State;
}

const isWork = (instruction: Instruction): boolean =>
  instruction === "found" || (typeof instruction === "object" && "reads" in instruction);

function moved(instruction: Instruction, by: number): Instruction {
  if (typeof instruction === "string") return instruction;
  if ("oneOf" in instruction) return { oneOf: instruction.oneOf.map((next) => next + by) };
  return { ...instruction, next: instruction.next + by };
}

/** All that conditions ask about the letter before a place. */
const kindOf = (letter: Letter | undefined): string =>
  letter ? `${Number(letter.isWord)}${Number(letter.isLineBreak)}` : "begin";

/** The conditions that hold between two letters. Undefined stands for the begin or the end of a text. */
function conditionsBetween(before: Letter | undefined, after: Letter | undefined): number {
  return (
    (before ? 0 : AT.textBegin | AT.lineBegin) |
    (after ? 0 : AT.textEnd | AT.lineEnd) |
    (before?.isLineBreak ? AT.lineBegin : 0) |
    (after?.isLineBreak ? AT.lineEnd : 0) |
    ((before?.isWord ?? false) === (after?.isWord ?? false) ? AT.noWordBorder : AT.wordBorder)
  );
}
