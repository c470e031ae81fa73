import type { SearchResult, SearchResults } from "@tunnelplane/sdk";
import {
  type Definition,
  definitionNamed,
  fieldOf,
  fieldsWhere,
  isObject,
  marksOf,
  may,
  registry,
} from "@tunnelplane/sdk/contract";
import { nameOf } from "@tunnelplane/sdk/meaning";
import type { Belonging, Caller } from "../../auth";
import { type Document, textIn } from "../../documents";
import type { Sequencer } from "../../journal";
import type { Finder, SearchRequest } from "../../resources";
import type { Store } from "../../storage";
import { isListedFor, listedRows } from "../readable";
import { matchedOf, type SearchedRow, searchable, textsOf } from "./entry";
import { SearchIndex } from "./searchIndex";
import { rankOf, type Wanted, wantedOf } from "./wanted";

/** In characters. */
export const MAX_SEARCH_LENGTH = 128;
/** How much one search finds unless it asks for another number. */
export const USUAL_FOUND = 20;
/** In characters: a longer text is cut around what was found. */
const MAX_SHOWN_LENGTH = 200;
/** Half of a character, where a text was cut within one. */
const HALF = /^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g;
const NONE = new Map<string, never>();

/** Finds objects through an index of its own. */
export class Search implements Finder {
  readonly #index: SearchIndex;

  constructor(
    private readonly store: Store,
    sequencer: Sequencer,
  ) {
    this.#index = new SearchIndex(store, sequencer);
  }

  async search(caller: Caller, { text, limit, shared }: SearchRequest): Promise<SearchResults> {
    const wanted = wantedOf(text);
    const isShown = (definition: Definition, object: Belonging) =>
      isListedFor(caller, definition, object, shared);
    const kinds = registry.filter((definition) => may(caller, "read", definition));
    const { ids, hasMore } = await this.#index.find(wanted, { kinds, isShown }, limit);
    // Read and compared again: what the index knows may have changed just now.
    const rows = new Map((await listedRows(this.store, caller, ids, shared)).map((row) => [row.id, row]));
    const results = ids.flatMap((id) => {
      const row = rows.get(id);
      return row ? (resultOf(definitionNamed(row.kind), row, wanted) ?? []) : [];
    });
    return { results, has_more: hasMore };
  }

  close(): Promise<void> {
    return this.#index.close();
  }
}

function resultOf(definition: Definition, row: SearchedRow, wanted: Wanted): SearchResult | undefined {
  const { id, name } = row;
  const { kind } = definition;
  const document: Document = JSON.parse(row.document);
  const texts = textsOf(definition, row, document);
  const matched = rankOf(searchable(texts), wanted) === undefined ? undefined : matchedOf(texts, wanted);
  if (!matched) return undefined;
  const parent = parentIn(definition, document);
  const named = name !== null && { name };
  return {
    id,
    type: definition.type,
    kind,
    ...(name !== null && { resource_name: name }),
    title: nameOf({
      kind,
      identity: id,
      fields: document,
      object: { kind, id, fields: document, ...named },
      modules: NONE,
    }),
    matched: { field: matched.field, text: excerpt(matched.text, wanted) },
    uri: textIn(document, "uri"),
    ...(parent !== undefined && { parent_id: parent }),
  };
}

/** The object with which this one is deleted: the edge of a route, the policy of a rule. */
function parentIn(definition: Definition, document: Document): string | undefined {
  const [name] = fieldsWhere(definition, ({ reference }) => reference?.cascade);
  if (name === undefined) return undefined;
  const { reference } = marksOf(fieldOf(definition, name));
  const value = document[reference?.answeredAs ?? name];
  const id = isObject(value) ? value.id : value;
  return typeof id === "string" ? id : undefined;
}

/** A text, or the part of a long one in which a word stands. */
function excerpt(text: string, { words }: Wanted): string {
  const line = text.replace(/\s+/g, " ");
  if (line.length <= MAX_SHOWN_LENGTH) return line;
  const found = words.flatMap((word) => {
    const at = line.toLowerCase().indexOf(word.text);
    return at < 0 ? [] : [at];
  });
  const start = Math.max(
    0,
    Math.min(Math.min(...found, line.length) - MAX_SHOWN_LENGTH / 4, line.length - MAX_SHOWN_LENGTH),
  );
  const end = start + MAX_SHOWN_LENGTH;
  return `${start > 0 ? "…" : ""}${line.slice(start, end).replace(HALF, "")}${end < line.length ? "…" : ""}`;
}
