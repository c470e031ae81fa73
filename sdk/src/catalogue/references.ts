import {
  camelCasePath,
  collectionOf,
  createSchema,
  definitionOfId,
  didYouMean,
  type FoundReference,
  formatPath,
  referencesIn,
  targetsOf,
  withArticle,
} from "../contract";
import type { Entry } from "./entries";
import type { CatalogueFile } from "./file";

/** A name in an entry's arguments, and the entry that it refers to. */
interface Link {
  readonly path: readonly PropertyKey[];
  readonly target: Entry;
  /** Whether the name is the key of a map, before the colon. */
  readonly isKey: boolean;
}

/** The entries of a file, all and by name. */
interface Named {
  readonly entries: readonly Entry[];
  readonly byName: ReadonlyMap<string, readonly Entry[]>;
}

/** The links of each entry, by the formatted path of the name. */
export type Links = ReadonlyMap<Entry, ReadonlyMap<string, Link>>;

/** Finds the entries that others refer to. Notes unknown names and circles in the document. */
export function linksOf(document: CatalogueFile, entries: readonly Entry[]): Links {
  const links = new Map<Entry, Map<string, Link>>();
  const byName = new Map<string, Entry[]>();
  for (const entry of entries) {
    const others = byName.get(entry.name);
    if (others) others.push(entry);
    else byName.set(entry.name, [entry]);
  }
  for (const entry of entries) {
    const found = new Map<string, Link>();
    for (const reference of referencesIn(createSchema(entry.definition), entry.wire)) {
      const path = camelCasePath(createSchema(entry.definition), reference.path);
      const target = resolve(reference, { entries, byName }, (message) =>
        document.addMistake([entry.collection, entry.name, ...path], message),
      );
      if (target) found.set(formatPath(path), { path, target, isKey: reference.isKey === true });
    }
    links.set(entry, found);
  }
  mistakeInCircles(document, links);
  return links;
}

/**
 * The entry that a reference names; undefined if it is the id of an object outside the catalogue, or invalid.
 */
function resolve(
  { id, reference }: FoundReference,
  { entries, byName }: Named,
  addMistake: (message: string) => void,
): Entry | undefined {
  const targets = targetsOf(reference.to);
  // The contract's check reports empty values and other types. Kinds that no catalogue declares have
  // ids only.
  if (typeof id !== "string" || id === "" || targets.length === 0) return undefined;
  const kinds = targets.map(({ kind }) => kind);
  const named = byName.get(id) ?? [];
  const fitting = named.filter((entry) => kinds.includes(entry.definition.kind));
  if (fitting.length === 1) return fitting[0];

  const expected = targets.map((target) => withArticle(target.title)).join(" or ");
  const collections = targets.map(collectionOf).join(" or ");
  const shown = JSON.stringify(id);
  const known = isId(id) ? definitionOfId(id) : undefined;
  // No catalogue can declare users, for example.
  const mayBeElsewhere = reference.to.some((kind) => targetsOf([kind]).length === 0);
  if (fitting.length > 1) {
    addMistake(
      `names ${shown}, but ${fitting.map(({ collection }) => collection).join(" and ")} both have an entry of that name; rename one`,
    );
  } else if (known) {
    if (!kinds.includes(known.kind))
      addMistake(`is the id of ${withArticle(known.title)}; expected ${expected}`);
  } else if (isId(id) && mayBeElsewhere) {
    return undefined;
  } else if (named[0]) {
    addMistake(`names ${shown}, which is ${withArticle(named[0].definition.title)}; expected ${expected}`);
  } else {
    const candidates = entries
      .filter((entry) => kinds.includes(entry.definition.kind))
      .map(({ name }) => name);
    addMistake(`names ${shown}, but no entry of ${collections} has that name${didYouMean(id, candidates)}`);
  }
  return undefined;
}

/** Ids have 27 characters after their prefix, so an entry may be called `ca_clients`. */
const isId = (text: string): boolean => /^[a-z]+_[0-9A-Za-z]{27}$/.test(text);

function mistakeInCircles(document: CatalogueFile, links: Links): void {
  const done = new Set<Entry>();
  const follow = (entry: Entry, way: readonly Entry[]): void => {
    for (const { path, target } of links.get(entry)?.values() ?? []) {
      const begin = way.indexOf(target);
      if (begin >= 0) {
        const circle = [...way.slice(begin), target].map(({ name }) => name).join(" → ");
        document.addMistake(
          [entry.collection, entry.name, ...path],
          `closes a circle of references, so nothing can be created first: ${circle}`,
        );
      } else if (!done.has(target)) {
        follow(target, [...way, target]);
      }
    }
    done.add(entry);
  };
  for (const entry of links.keys()) if (!done.has(entry)) follow(entry, [entry]);
}
