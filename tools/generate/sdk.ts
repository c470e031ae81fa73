import {
  answerSchema,
  camelCase,
  collectionOf,
  createSchema,
  type Definition,
  docOf,
  fieldsWhere,
  isOptional,
  modulesWithTypes,
  pathFieldsOf,
  plural,
  removablesOf,
  withArticle,
} from "../../sdk/src/contract";
import { type Style, writeInterface } from "./interfaces";
import { fileOf, HEADER, jsdoc, pathLiteral } from "./names";

/** How answers are written. */
export const answered: Style = {
  spell: (name) => name,
  words: docOf,
  wrap: (type) => type,
  mayBeLeftOut: () => false,
  nullable: false,
  variants: true,
  nest: (parent, field) => parent + field,
};
const sent: Style = {
  ...answered,
  mayBeLeftOut: isOptional,
  nullable: true,
  variants: true,
  nest: (parent, field) => `${parent.replace(/(Create|Update|Replace)$/, "")}${field}Replace`,
};

/** The wire types of one resource type. */
export function sdkTypes(definition: Definition): string {
  const { type, title } = definition;
  const parts = [
    writeInterface(type, `${definition.doc}\n\nAs the API returns it.`, answerSchema(definition), answered),
    writeInterface(
      `${type}Create`,
      `The body that creates ${withArticle(title)}.`,
      createBody(definition),
      sent,
    ),
    updateType(definition),
  ];
  const text = parts.join("");
  const refs = /\bRef\b/.test(text) ? `import type { Ref } from "../client/ref";\n\n` : "";
  return `${HEADER}${refs}${text.trimEnd()}\n`;
}

function updateType(definition: Definition): string {
  const { type, title } = definition;
  const immutable = fieldsWhere(definition, (marks) => marks.immutable)
    .filter((name) => !pathFieldsOf(definition).includes(name))
    .map((name) => JSON.stringify(name));
  const base = immutable.length ? `Omit<${type}Create, ${immutable.join(" | ")}>` : `${type}Create`;
  return `${jsdoc(`The body that updates ${withArticle(title)}; fields left out stay as they are.`)}export type ${type}Update = Partial<${base}>;\n`;
}

const entriesOf = (definition: Definition): string[] => fieldsWhere(definition, (marks) => marks.entries);

/** The body of a creation, without the fields that are in the path. */
const createBody = (definition: Definition) =>
  createSchema(definition).omit(Object.fromEntries(pathFieldsOf(definition).map((name) => [name, true])));

/** The client: a member for each collection, with one for each of its modules. */
export function sdkClient(registry: readonly Definition[]): string {
  const imports = registry.map((definition) => {
    const types = [definition.type, `${definition.type}Create`, `${definition.type}Update`];
    for (const module of modulesWithTypes(definition)) types.push(module.type, `${module.type}Replace`);
    return `import type { ${types.sort().join(", ")} } from "./${fileOf(definition)}";\n`;
  });
  const members = registry.map((definition) => {
    const { type, title, listKey } = definition;
    const path = pathLiteral(definition.path);
    const collection = `new Collection<${type}, ${type}Create, ${type}Update>(this.transport, ${path}, "${listKey}")`;
    const parts = [
      ...modulesWithTypes(definition).map(
        (module) =>
          `    ${camelCase(module.name)}: new Module<${module.type}, ${module.type}Replace>(this.transport, ${path}, "${module.name}"),\n`,
      ),
      ...removablesOf(definition).map(
        ({ name }) => `    ${camelCase(name)}: new Removable(this.transport, ${path}, "${name}"),\n`,
      ),
      ...entriesOf(definition).map(
        (name) =>
          `    ${camelCase(name)}: new Entries<${type}["${name}"][number], NonNullable<${type}Create["${name}"]>[number]>(this.transport, ${path}, "${name}"),\n`,
      ),
    ];
    const value = parts.length ? `Object.assign(${collection}, {\n${parts.join("")}  })` : collection;
    const parents = pathFieldsOf(definition).map((name) => `${camelCase(name)}: string`);
    const member = parents.length ? `(${parents.join(", ")}) => ${value}` : value;
    return `${jsdoc(`${plural(title)[0]?.toUpperCase()}${plural(title).slice(1)}. ${definition.doc}`, "  ")}  readonly ${collectionOf(definition)} = ${member};\n`;
  });
  const answers = registry.map(({ kind, type }) => `  ${kind}: ${type};\n`);
  const exports = registry.map((definition) => `export type * from "./${fileOf(definition)}";\n`);
  return `${HEADER}import { ApiClient } from "../client/apiClient";
import { Collection, Entries, Module, Removable } from "../client/collection";
${imports.join("")}
${exports.join("")}
/** The objects of answers, by kind. */
export interface Answers {
${answers.join("")}}

/**
 * The API, typed: a member for each kind of object.
 *
 * @example
 * const api = new Tunnelplane({ baseUrl: "http://127.0.0.1:4040", apiKey });
 * for await (const edge of api.tlsEdges.list()) console.log(edge.id, edge.hostports);
 */
export class Tunnelplane extends ApiClient {
${members.join("\n").trimEnd()}
}
`;
}
