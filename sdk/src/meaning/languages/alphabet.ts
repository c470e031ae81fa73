import { AT, type CharacterSet, type Program } from "./program";

/** Characters that no program can tell apart. */
export interface Letter {
  /** The most readable of them, which represents all. */
  readonly character: number;
  readonly isWord: boolean;
  readonly isLineBreak: boolean;
  /** The sets that hold them. */
  readonly sets: ReadonlySet<CharacterSet>;
}

export interface Alphabet {
  /** The most readable first. */
  readonly letters: readonly Letter[];
  /** The letter that a character belongs to; undefined for one that texts do not hold. */
  letterOf(character: number): Letter | undefined;
}

export type Range = readonly [from: number, to: number];

const WORDS: readonly Range[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const LINE_BREAK = 10;
const isIn = (ranges: readonly Range[], character: number): boolean =>
  ranges.some(([from, to]) => from <= character && character <= to);

/** Characters that people read easily, the easiest first. All others come after them, by number. */
const READABLE = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-._/ ~:,+=@!*()&$'";
function rankOf(character: number): number {
  const index = READABLE.indexOf(String.fromCodePoint(character));
  return index < 0 ? READABLE.length + character : index;
}

/**
 * The letters of some programs.
 * @param characters the characters that texts may hold
 */
export function alphabetOf(programs: readonly Program[], characters: readonly Range[]): Alphabet {
  const instructions = programs.flat().filter((instruction) => typeof instruction !== "string");
  const sets = [...new Set(instructions.flatMap((reader) => ("reads" in reader ? reader.reads : [])))];
  const conditions = instructions.reduce((sum, asker) => ("where" in asker ? sum | asker.where : sum), 0);
  const asksText = (conditions & (AT.wordBorder | AT.noWordBorder)) !== 0;
  const asksLines = (conditions & (AT.lineBegin | AT.lineEnd)) !== 0;
  const ranges = [
    ...characters,
    ...sets.flatMap((set) => set.ranges),
    ...(asksText ? WORDS : []),
    ...(asksLines ? [[LINE_BREAK, LINE_BREAK] as const] : []),
  ];
  const borders = [...new Set(ranges.flatMap(([from, to]) => [from, to + 1]))].sort((a, b) => a - b);
  // Between two borders all characters get the same answers, so the first one speaks for its piece. Pieces
  // with the same answers are one letter.
  const letters = new Map<string, Letter>();
  const pieces = borders.map((from) => {
    if (!isIn(characters, from)) return { from };
    const isWord = asksText && isIn(WORDS, from);
    const isLineBreak = asksLines && from === LINE_BREAK;
    const holding = new Set(sets.filter((set) => set.has(from)));
    const answers = [isWord, isLineBreak, ...sets.map((set) => holding.has(set))].map(Number).join("");
    const letter = letters.get(answers) ?? { character: from, isWord, isLineBreak, sets: holding };
    letters.set(answers, letter);
    return { from, letter };
  });
  const letterOf = (character: number) => pieces.findLast(({ from }) => from <= character)?.letter;
  for (const readable of [...READABLE].reverse().map((character) => character.charCodeAt(0)))
    Object.assign(letterOf(readable) ?? {}, { character: readable });
  return {
    letters: [...letters.values()].sort((a, b) => rankOf(a.character) - rankOf(b.character)),
    letterOf,
  };
}
