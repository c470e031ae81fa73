import { readFileSync } from "node:fs";
import {
  camelCasePath,
  createSchema,
  formatPath,
  isObject,
  messageOf,
  mistakeInProjectName,
} from "../contract";
import { type Entry, entriesOf, PROJECT } from "./entries";
import { CatalogueFile, type Tags } from "./file";
import { type Links, linksOf } from "./references";

/** A catalogue without its mistakes. */
interface Checked {
  readonly entries: Entry[];
  readonly links: Links;
  /** The name of the project in which its objects are, if it names one. */
  readonly project?: string;
}

/**
 * Reads and checks a catalogue.
 *
 * @param tags those beside `!file` and `!env`
 * @throws Error if it cannot be read, or with all of its mistakes, each with its line
 */
export function readCatalogue(file: string, tags: Tags): Checked & { readonly document: CatalogueFile } {
  const document = new CatalogueFile(file, textOf(file), tags);
  const checked = check(document);
  if (document.mistakes.length > 0) throw new Error(document.report());
  return { ...checked, document };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Error(`The catalogue ${file} cannot be read: ${messageOf(error)}`);
  }
}

/** Checks a catalogue without a server. Notes mistakes in the document. */
export function check(document: CatalogueFile): Checked {
  const entries = entriesOf(document);
  const links = linksOf(document, entries);
  mistakeInClaims(document, entries);
  const project = projectOf(document);
  return { entries, links, ...(project !== undefined && { project }) };
}

/** The name of the project that a catalogue is for; undefined if it names none, or none that can be. */
function projectOf(document: CatalogueFile): string | undefined {
  const project = isObject(document.value) ? document.value[PROJECT] : undefined;
  if (project === undefined) return undefined;
  const mistake =
    typeof project === "string"
      ? mistakeInProjectName(project)
      : "must be the name of a project, as a text that is known here";
  if (mistake !== undefined) document.addMistake([PROJECT], mistake);
  return typeof project === "string" ? project : undefined;
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
