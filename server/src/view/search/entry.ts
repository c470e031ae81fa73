import {
  cidrKey,
  type Definition,
  definitionNamed,
  mistakeInCidr,
  type SearchedText,
  searchedTexts,
} from "@tunnelplane/sdk/contract";
import type { Document } from "../../documents";
import type { StoredRow } from "../../resources";
import { folded, rankOf, rankOfWord, type Searchable, type Wanted } from "./wanted";

/** An object as it is searched for. */
export interface Entry extends Searchable, Pick<StoredRow, "id" | "owner_id" | "project_id" | "name"> {}

export type SearchedRow = Pick<StoredRow, "id" | "kind" | "owner_id" | "document" | "project_id" | "name">;

/** Looks like a network in CIDR notation; most texts do not. */
const NETWORK = /^[\da-f:.]+\/\d+$/i;

export function entryOf(row: SearchedRow): Entry {
  const { id, owner_id, project_id, name } = row;
  const texts = textsOf(definitionNamed(row.kind), row, JSON.parse(row.document));
  return { id, owner_id, project_id, name, ...searchable(texts) };
}

/** The texts of an object by which it is found: its id first, then its name. */
export const textsOf = (
  definition: Definition,
  { id, name }: Pick<SearchedRow, "id" | "name">,
  document: Document,
): SearchedText[] => [
  { field: "id", text: id },
  ...(name === null ? [] : [{ field: "resource_name", text: name }]),
  ...searchedTexts(definition, document),
];

/** Texts, of which the first may be the id, in the form in which they are compared. */
export function searchable(texts: readonly SearchedText[]): Searchable {
  const networks = texts.flatMap(({ text }) =>
    NETWORK.test(text) && mistakeInCidr(text) === undefined ? [cidrKey(text)] : [],
  );
  const lines = texts.map(({ text }) => folded(text));
  return {
    lines: ["", ...lines, ""].join("\n"),
    idEnd: texts[0]?.field === "id" ? (lines[0]?.length ?? 0) : 0,
    networks: networks.length > 0 ? networks : undefined,
  };
}

/** The text that shows why an object was found: of those with most of the words, the one that fits best. */
export function matchedOf(texts: readonly SearchedText[], wanted: Wanted): SearchedText | undefined {
  let best: { readonly text: SearchedText; readonly score: number } | undefined;
  for (const text of texts) {
    const one = searchable([text]);
    const rank = rankOf(one, wanted);
    const ranks = wanted.words.flatMap((word) => rankOfWord(one, word) ?? []);
    const score = ranks.length * 10 - (rank ?? Math.max(...ranks));
    if (ranks.length > 0 && (!best || score > best.score)) best = { text, score };
  }
  return best?.text;
}
