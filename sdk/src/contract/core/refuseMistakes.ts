import type { z } from "zod";
import { type Definition, pathFieldsOf } from "./definition";
import { elementOf, fieldsOf, type Marks, marksOf } from "./marks";
import { own } from "./narrow";

/** Kinds that references may name although the registry has none of them. */
const KINDS_ELSEWHERE = ["user"];
/**
 * Prefixes of ids that belong to no resource type: accounts, audit rows, events, leases, operations and
 * users.
 */
const PREFIXES_ELSEWHERE = ["ac", "au", "ev", "lease", "op", "usr"];
/** Fields of every answer, and fields of every list beside its objects. */
const COMMON_FIELDS = ["id", "uri", "created_at"];
const LIST_FIELDS = ["uri", "next_page_uri"];

/**
 * Throws if types clash with each other or refer to missing kinds. The error says how to fix it.
 * @param groups names that stand for several kinds in references
 */
export function refuseMistakes(definitions: readonly Definition[], groups: readonly string[]): void {
  const mistakes = [
    ...definitions.flatMap((one, index) =>
      definitions.slice(0, index).flatMap((earlier) => [...clashes(earlier, one)]),
    ),
    ...definitions.flatMap((one) => [...ownMistakes(one), ...unknownKinds(one, definitions, groups)]),
  ];
  if (mistakes.length > 0)
    throw new Error(
      `The registry of resource types has mistakes:\n${mistakes.map((one) => `- ${one}`).join("\n")}`,
    );
}

function* clashes(one: Definition, other: Definition): Iterable<string> {
  const both = `${one.type} and ${other.type}`;
  const same = (name: "type" | "kind" | "idPrefix" | "path", cure: string) =>
    one[name] === other[name] ? [`${both} both have the ${name} ${JSON.stringify(one[name])}; ${cure}`] : [];
  yield* same("type", "give one of them another name, because classes and schemas are called so");
  yield* same("kind", "give one of them another kind");
  yield* same("idPrefix", "give one of them another prefix, because it tells the kind of an id");
  yield* same("path", "give one of them another path");
  const [first, second] = one.path === other.path ? [] : (ambiguous(one, other) ?? []);
  if (first) yield `${both}: a request for ${first} could also mean ${second}; give one of them another path`;
  // A family of types, such as all kinds of backends, shares both.
  if (one.listKey === other.listKey && one.subject !== other.subject)
    yield `${both} both have the listKey ${JSON.stringify(one.listKey)}; give one of them another, or both one subject if they are of one family`;
  if (one.subject === other.subject && one.listKey !== other.listKey)
    yield `${both} both have the subject ${JSON.stringify(one.subject)}, so their events have the same names; give one of them another, or both one listKey if they are of one family`;
}

/** Two paths, one of each type, that fit the same request. */
function ambiguous(one: Definition, other: Definition): [string, string] | undefined {
  for (const path of pathsOf(one)) {
    const found = pathsOf(other).find((candidate) => meet(path.split("/"), candidate.split("/")));
    if (found) return [path, found];
  }
  return undefined;
}

const meet = (path: readonly string[], other: readonly string[]): boolean =>
  path.length === other.length &&
  path.every((part, index) => part === other[index] || isParameter(part) || isParameter(other[index]));

const isParameter = (part = ""): boolean => part.startsWith("{");

/** The paths of a type's objects and their parts. */
function pathsOf({ path, fields }: Definition): string[] {
  const parts = Object.entries(fields).flatMap(([name, schema]) => {
    const { module, entries } = marksOf(schema);
    return module ? [name] : entries ? [name, `${name}/{${entries.key}}`] : [];
  });
  return [path, `${path}/{id}`, ...parts.map((part) => `${path}/{id}/${part}`)];
}

function* ownMistakes(definition: Definition): Iterable<string> {
  const { type, idPrefix, path, listKey, fields, computed } = definition;
  if (!/^[a-z]+$/.test(idPrefix))
    yield `${type} has the idPrefix ${JSON.stringify(idPrefix)}; use lower-case letters only, because "_" ends it`;
  if (PREFIXES_ELSEWHERE.includes(idPrefix))
    yield `${type} has the idPrefix "${idPrefix}", which is taken by other ids; give it another`;
  if (!/^(\/([a-z_]+|\{[a-z_]+\}))+$/.test(path) || path.endsWith("}"))
    yield `${type} has the path ${JSON.stringify(path)}; write it like "/edges/https/{edge_id}/routes"`;
  if (LIST_FIELDS.includes(listKey))
    yield `${type} has the listKey "${listKey}", which every list has beside it; give it another`;
  for (const name of pathFieldsOf(definition)) {
    const field = own(fields, name);
    if (!field || marksOf(field).reference?.to.length !== 1)
      yield `${type} has {${name}} in its path; add a field ${name} that refers to one kind, the parent's`;
  }
  const names = [
    ...COMMON_FIELDS,
    ...Object.entries(fields).map(([name, field]) => answeredName(name, field)),
    ...Object.keys(computed),
  ];
  for (const name of names.filter((name, index) => names.indexOf(name) !== index))
    yield `${type} has the field ${name} twice in its answers; give one of them another name`;
}

const answeredName = (name: string, field: z.ZodType): string => marksOf(field).reference?.answeredAs ?? name;

function* unknownKinds(
  definition: Definition,
  definitions: readonly Definition[],
  groups: readonly string[],
): Iterable<string> {
  const kinds = definitions.map(({ kind }) => kind);
  const known = [...kinds, ...groups, ...KINDS_ELSEWHERE];
  for (const [path, { reference, embeds }] of marksIn({ ...definition.fields, ...definition.computed }))
    for (const kind of [...(reference?.to ?? []), ...(embeds ? [embeds.kind] : [])])
      if (!known.includes(kind))
        yield `${definition.type} refers to the kind ${JSON.stringify(kind)} in ${path}, but no type has it; there are ${known.join(", ")}. Mend the name, or add that type to the registry`;
  for (const group of groups.filter((name) => name === definition.kind))
    yield `${definition.type} has the kind "${group}", which stands for several kinds in references; give it another`;
}

/** The marks of fields, at every depth, with their paths. */
function marksIn(fields: Readonly<Record<string, z.ZodType>>, path = ""): [path: string, marks: Marks][] {
  return Object.entries(fields).flatMap(([name, field]): [string, Marks][] => {
    const at = path ? `${path}.${name}` : name;
    const marks = marksOf(field);
    // Embedded objects are checked as their own type.
    return marks.embeds
      ? [[at, marks]]
      : [[at, marks], ...marksIn(Object.fromEntries(fieldsOf(innermost(field)) ?? []), at)];
  });
}

function innermost(field: z.ZodType): z.ZodType {
  const element = elementOf(field);
  return element ? innermost(element) : field;
}
