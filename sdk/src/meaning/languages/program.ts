import type * as Re2 from "re2js";
import { isObject } from "../values";

/**
 * The program of an expression as re2js compiles it: a nondeterministic automaton, whose states are the
 * instructions. They are numbered through; an instruction names the ones that may come after it.
 */
export type Program = readonly Instruction[];

export type Instruction =
  /** Reads a character of a set. */
  | { readonly reads: CharacterSet; readonly next: number }
  /** Reads nothing. */
  | { readonly oneOf: readonly number[] }
  /** Reads nothing, and goes on only where all of these conditions hold. */
  | { readonly where: number; readonly next: number }
  | "found"
  | "fails";

/** Characters are code points. */
export interface CharacterSet {
  has(character: number): boolean;
  /** From and to, both included; at least each place where `has` changes its answer is such a border. */
  readonly ranges: readonly (readonly [from: number, to: number])[];
}

/** Conditions about the characters on both sides of a place, as RE2 numbers them. */
export const AT = {
  lineBegin: 1,
  lineEnd: 2,
  textBegin: 4,
  textEnd: 8,
  wordBorder: 16,
  noWordBorder: 32,
} as const;
export const EVERYWHERE = 63;

/** The parts of re2js's program that are read here; its types leave them out. */
interface Compiled {
  readonly start: number;
  readonly inst: readonly {
    readonly op: number;
    readonly out: number;
    readonly arg: number;
    readonly runes: ArrayLike<number>;
    matchRune(rune: number): boolean;
  }[];
}

/**
 * Compiles an RE2 expression and reads the program. It begins at its first instruction.
 *
 * @throws for a text that is not an expression, or if re2js has instructions that are not known here
 */
export function programOf(expression: string): Program {
  // Loaded on first use: few worlds hold patterns.
  const { RE2JS } = require("re2js") as typeof Re2;
  const { prog } = (RE2JS.compile(expression) as unknown as { re2Input: { prog: unknown } }).re2Input;
  if (!isCompiled(prog)) throw new Error("re2js compiles to something that is not known here");
  const begin: Instruction = { oneOf: [prog.start + 1] };
  const rest = prog.inst.map((instruction): Instruction => {
    const { op, arg, runes } = instruction;
    const next = instruction.out + 1;
    switch (op) {
      case 1: // alt
      case 2: // alt match
        return { oneOf: [next, arg + 1] };
      case 3: // capture
      case 7: // no operation
        return { oneOf: [next] };
      case 4: // empty width
        return { where: arg, next };
      case 5:
        return "fails";
      case 6:
        return "found";
      case 8: // runes
      case 9: // one rune
        return {
          next,
          reads: setOf(`${Array.from(runes).join()} ${arg & IGNORES_CASE}`, () => ({
            has: (character) => instruction.matchRune(character),
            ranges: rangesOf(runes, (arg & IGNORES_CASE) !== 0, (character) =>
              instruction.matchRune(character),
            ),
          })),
        };
      case 10: // any rune
        return { next, reads: setOf("any", () => ({ has: () => true, ranges: [] })) };
      case 11: // any rune but a line break
        return {
          next,
          reads: setOf("line", () => ({ has: (character) => character !== 10, ranges: [[10, 10]] })),
        };
      default:
        throw new Error(`the instruction ${op} of re2js is not known here`);
    }
  });
  return [begin, ...rest];
}

const sets = new Map<string, CharacterSet>();
const MAX_SETS = 10_000;

/** Equal sets should be one object: the fewer sets, the less work. */
function setOf(key: string, make: () => CharacterSet): CharacterSet {
  const set = sets.get(key) ?? make();
  if (sets.size >= MAX_SETS) sets.clear();
  sets.set(key, set);
  return set;
}

const isCompiled = (value: unknown): value is Compiled =>
  isObject(value) && Array.isArray(value.inst) && typeof value.start === "number";

const IGNORES_CASE = 1;
/** Behind it, no character has another case. */
const LAST_WITH_CASE = 0x1e943;
/** What equals an ASCII letter in another case, besides that letter: long s, and the sign for Kelvin. */
const BEYOND_ASCII = [0x17f, 0x212a];

/** A single rune stands for itself, or for all that differ from it in case only; others come in pairs. */
function rangesOf(
  runes: ArrayLike<number>,
  ignoresCase: boolean,
  has: (character: number) => boolean,
): (readonly [number, number])[] {
  const [only] = Array.from(runes);
  if (runes.length !== 1 || only === undefined)
    return Array.from({ length: runes.length / 2 }, (_, pair) => [
      runes[2 * pair] as number,
      runes[2 * pair + 1] as number,
    ]);
  if (!ignoresCase) return [[only, only]];
  const candidates =
    only < 0x80
      ? [only, only ^ 0x20, ...BEYOND_ASCII]
      : Array.from({ length: LAST_WITH_CASE + 1 }, (_, character) => character);
  return candidates.filter(has).map((character) => [character, character]);
}
