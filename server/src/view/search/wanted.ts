import { networksAround } from "@tunnelplane/sdk/contract";

/** A text to search for. */
export interface Wanted {
  /** All of it, as one line of {@link Searchable.lines}. */
  readonly line: string;
  readonly words: readonly Word[];
}

interface Word {
  readonly text: string;
  /** If it is an IP address: every network that contains it. */
  readonly networks: ReadonlySet<string>;
}

/** The texts of an object, or one of them, in the form in which they are compared. */
export interface Searchable {
  /** Texts in the form of {@link folded}, each with a line break before and after it. */
  readonly lines: string;
  /** Up to here, included, an id is found; 0 without one. */
  readonly idEnd: number;
  /** Its networks in CIDR notation, in the form of `cidrKey`. */
  readonly networks: readonly string[] | undefined;
}

/** How well something fits, the best first. */
export const RANKS = [
  /** A text is what is searched for. */
  0,
  /** Each word begins a word of a text, or is an address in its network. */
  1,
  /** Each word is part of a text. */
  2,
  /** At least one is found only within an id. */
  3,
] as const;
export type Rank = (typeof RANKS)[number];

/** A text in the form in which texts are compared: in small letters, on one line. */
export const folded = (text: string): string =>
  text
    .normalize("NFC")
    .toLowerCase()
    .replace(/[\r\n]+/g, " ");

export function wantedOf(text: string): Wanted {
  const whole = folded(text.trim());
  return {
    line: `\n${whole}\n`,
    words: [...new Set(whole.split(/\s+/))].map((word) => ({
      text: word,
      networks: new Set(networksAround(word)),
    })),
  };
}

/** The best rank, or none. */
export const exactly = ({ lines }: Searchable, { line }: Wanted): 0 | undefined =>
  lines.includes(line) ? 0 : undefined;

/** How well something fits; undefined if it lacks one of the words. */
export function rankOf(one: Searchable, wanted: Wanted): Rank | undefined {
  let worst: Rank = 1;
  for (const word of wanted.words) {
    const rank = rankOfWord(one, word);
    if (rank === undefined) return undefined;
    if (rank > worst) worst = rank;
  }
  return exactly(one, wanted) ?? worst;
}

/** @returns undefined for a word that is not there */
export function rankOfWord(
  { lines, idEnd, networks }: Searchable,
  { text, networks: around }: Word,
): Rank | undefined {
  if (around.size > 0 && networks?.some((network) => around.has(network))) return 1;
  let best: Rank | undefined;
  let places = 0;
  for (let at = lines.indexOf(text); at >= 0 && places < MAX_PLACES; at = lines.indexOf(text, at + 1)) {
    places++;
    if (!IN_WORD.test(lines.charAt(at - 1))) return 1;
    best = at <= idEnd ? 3 : 2;
  }
  return best;
}

/** So many places of a word are looked at, whatever a text repeats; more than an id has characters. */
const MAX_PLACES = 100;
const IN_WORD = /[\p{L}\p{N}]/u;
