import {
  camelCase,
  camelCaseMessage,
  camelCasePath,
  collectionOf,
  createSchema,
  type Definition,
  didYouMean,
  ENTRY_NAME,
  registry,
  rename,
  validateCreate,
  wireNamesIn,
} from "../contract";
import { type CatalogueFile, isLater } from "./file";

/** One object in a catalogue. */
export interface Entry {
  readonly definition: Definition;
  readonly collection: string;
  readonly name: string;
  /** Its arguments as written. */
  readonly args: unknown;
  /** The same with wire names, without defaults. */
  readonly wire: unknown;
  /** The body of its creation; undefined if it is invalid or not known yet. */
  readonly sent?: Record<string, unknown>;
}

/** The only field of a catalogue that is not a collection: the name of the project of its objects. */
export const PROJECT = "project";

/** The entries of a file, each checked on its own. Notes mistakes in the document. */
export function entriesOf(document: CatalogueFile): Entry[] {
  const byCollection = new Map(registry.map((definition) => [collectionOf(definition), definition]));
  const accepted = [...byCollection.keys(), PROJECT];
  return membersOf(document, document.value, []).flatMap(([collection, entries]) => {
    const definition = byCollection.get(collection);
    if (definition) {
      return membersOf(document, entries, [collection]).map(([name, args]) =>
        readEntry(document, definition, { collection, name, args }),
      );
    }
    if (collection === PROJECT) return [];
    const names = accepted.map((name) => `\`${name}\``).join(", ");
    document.addMistake(
      [collection],
      `is not a collection; accepted: ${names}${didYouMean(collection, accepted)}`,
      "name",
    );
    return [];
  });
}

/** The fields of a map. No value at all counts as an empty map. */
function membersOf(
  document: CatalogueFile,
  value: unknown,
  path: readonly PropertyKey[],
): [string, unknown][] {
  if (value === undefined || value === null) return [];
  if (typeof value === "object" && !Array.isArray(value)) return Object.entries(value);
  document.addMistake(
    path,
    path.length > 0
      ? "must be a map of names to arguments"
      : "must be a map of collections, such as `tlsEdges:`",
  );
  return [];
}

function readEntry(
  document: CatalogueFile,
  definition: Definition,
  written: Pick<Entry, "collection" | "name" | "args">,
): Entry {
  const { collection, name, args } = written;
  const schema = createSchema(definition);
  const path = [collection, name];
  if (!ENTRY_NAME.test(name)) {
    document.addMistake(
      path,
      'is not a name: use letters, digits, ".", "_" and "-", and begin with a letter or digit',
      "name",
    );
  }
  for (const found of wireNamesIn(schema, args)) {
    document.addMistake(
      [...path, ...found],
      `is spelled \`${camelCase(String(found.at(-1)))}\` here`,
      "name",
    );
  }
  const wire = rename(schema, args ?? {}, "wire");
  const { value, problems } = validateCreate(definition, wire, (value) => isLater(value) && value !== wire);
  for (const problem of problems) {
    const at = [...path, ...camelCasePath(schema, problem.path)];
    document.addMistake(
      at,
      camelCaseMessage(problem.message),
      problem.error === "unknown_field" ? "name" : "value",
    );
  }
  return { ...written, definition, wire, sent: problems.length > 0 || holdsLater(value) ? undefined : value };
}

function holdsLater(value: unknown): boolean {
  return (
    isLater(value) || (typeof value === "object" && value !== null && Object.values(value).some(holdsLater))
  );
}
