import {
  accessDoc,
  type Definition,
  ERRORS,
  type ErrorKind,
  fieldOf,
  marksOf,
  modulesOf,
  plural,
  secretPathsOf,
} from "../../sdk/src/contract";
import { HEADER } from "./names";

/** The files of the server's pages that follow from the contract. */
export const staticFiles = (registry: readonly Definition[]): [string, string][] => [
  ["server/static/console/kinds.mjs", consoleKinds(registry)],
  ["server/static/console/cures.mjs", consoleCures(ERRORS)],
];

/** The facts about kinds of objects that the console uses. */
function consoleKinds(registry: readonly Definition[]): string {
  const kinds = registry.map((definition) => {
    const { kind, title, path, listKey, idPrefix, access, doc, example } = definition;
    const inTitles = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`;
    return {
      ...{ kind, one: inTitles(title), title: inTitles(plural(title)), path, listKey, idPrefix, access },
      ...{ doc: `${doc}${accessDoc(definition)}`, secrets: secretPathsOf(definition), example },
      modules: modulesOf(definition).map((name) => ({
        name,
        doc: marksOf(fieldOf(definition, name)).module?.doc ?? "",
      })),
    };
  });
  return `${HEADER}\n/** The kinds of objects, in the order of the contract. */\nexport const KINDS = ${JSON.stringify(kinds, null, 2)};\n`;
}

/** The cure of each error, for the console. It shows texts, so links are left out of them. */
function consoleCures(errors: Readonly<Record<string, ErrorKind>>): string {
  const cures = Object.values(errors).flatMap(({ code, cure }) =>
    cure === undefined ? [] : [[code, cure.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1")]],
  );
  return `${HEADER}\n/** The cure of each error, by its code. */\nexport const CURES = ${JSON.stringify(Object.fromEntries(cures), null, 2)};\n`;
}
