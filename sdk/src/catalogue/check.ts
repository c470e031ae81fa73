import { camelCasePath, createSchema, type Definition, formatPath } from "../contract";
import { type Entry, entriesOf } from "./entries";
import type { CatalogueFile } from "./file";
import { type Links, linksOf } from "./references";

/** Checks a catalogue without a server. Notes mistakes in the document. */
export function check(
  document: CatalogueFile,
  definitions: readonly Definition[],
): { entries: Entry[]; links: Links } {
  const entries = entriesOf(document, definitions);
  const links = linksOf(document, entries);
  mistakeInClaims(document, entries);
  return { entries, links };
}

/** Reports two entries with the same unique key, which the server would refuse. */
function mistakeInClaims(document: CatalogueFile, entries: readonly Entry[]): void {
  const claims = new Map<string, readonly PropertyKey[]>();
  for (const { definition, collection, name, sent } of entries) {
    for (const { scope, key, path, taken } of sent ? definition.unique(sent) : []) {
      const claim = JSON.stringify([scope, key]);
      const at = [collection, name, ...camelCasePath(createSchema(definition), path)];
      const first = claims.get(claim);
      if (first) document.addMistake(at, `${taken} (${formatPath(first)}, line ${document.lineOf(first)})`);
      else claims.set(claim, at);
    }
  }
}
