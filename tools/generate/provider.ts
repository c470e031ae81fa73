import type { z } from "zod";
import {
  answeredListsOf,
  answerSchema,
  asDeclared,
  bare,
  camelCase,
  createSchema,
  type Definition,
  docOf,
  elementOf,
  holdsUniqueValues,
  isAlwaysSet,
  isOptional,
  isOutput,
  marksOf,
  modulesWithTypes,
  pathFieldsOf,
  shapeOf,
  withArticle,
} from "../../sdk/src/contract";
import { type Style, writeInterface, writeType } from "./interfaces";
import { docInPrograms, HEADER, isInstance, jsdoc, secretPlaces } from "./names";

const args: Style = {
  spell: camelCase,
  words: docInPrograms,
  wrap: (type) => `pulumi.Input<${type}>`,
  mayBeLeftOut: isOptional,
  // Inputs may be promises, and no type says which settings a promise holds.
  variants: false,
  nullable: false,
  nest: (parent, field) =>
    parent.endsWith("Args") ? `${parent.slice(0, -4)}${field}Module` : `${parent}${field}`,
};

/** The Pulumi classes of one resource type: its own, and one for each of its modules. */
export function providerClasses(definition: Definition): string {
  const { type, title, doc, example } = definition;
  const schema = createSchema(asDeclared(definition));
  const modules = modulesWithTypes(definition).map(({ name, type: moduleType }) =>
    moduleClass(definition, name, moduleType),
  );
  const computed: Record<string, z.ZodType> = Object.fromEntries(
    Object.entries(definition.computed).filter(([, value]) => isOutput(value)),
  );
  if (pathFieldsOf(definition).length > 0) computed[definition.idField] = field(definition, "id");
  const lists = Object.fromEntries(
    answeredListsOf(definition).map(({ answeredAs, schema: list }) => [answeredAs, list]),
  );
  const main = writeClass({
    type,
    kind: definition.kind,
    doc: `${doc}\n\n@example\n\`\`\`ts\n${example}\n\`\`\``,
    inputs: schema,
    lists,
    computed: {
      ...computed,
      ...without(lists, schema.shape),
      uri: field(definition, "uri"),
      created_at: field(definition, "created_at"),
    },
    secrets: secretPlaces({ ...definition.fields, ...computed }),
    argsOptional: Object.values(schema.shape).every((value) => value.isOptional()),
    unique: holdsUniqueValues(definition),
  });
  return `${HEADER}import type * as pulumi from "@pulumi/pulumi";
import { isOfType, Resource } from "../host/resource";

${writeInterface(`${type}Args`, `The arguments of ${withArticle(title)}.`, schema, args)}${main}${modules.join("")}`
    .trimEnd()
    .concat("\n");
}

const without = <T>(fields: Readonly<Record<string, T>>, others: object): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !(name in others)));

const field = (definition: Definition, name: string): z.ZodType =>
  (answerSchema(definition).shape as Record<string, z.ZodType>)[name] as z.ZodType;

function moduleClass(definition: Definition, name: string, type: string): string {
  const { title, idField, idPrefix } = definition;
  const module = definition.fields[name] as z.ZodType;
  const ids = [
    ...pathFieldsOf(definition).map((parent) => [parent, field(definition, parent)] as const),
    [idField, undefined] as const,
  ].map(([id, schema]) => ({
    name: camelCase(id),
    doc: schema ? docOf(schema) : `The ${title} (\`${idPrefix}_…\`). A change moves the module.`,
  }));
  const doc = `The ${name} module of ${withArticle(title)}, as a resource of its own: for programs that do not declare the ${title} itself. ${marksOf(module).module?.doc ?? ""}`;
  return `${jsdoc(`The arguments of ${withArticle(title)}'s ${name} module.`)}export interface ${type}Args extends ${type}Module {
${ids.map(({ name: id, doc: text }) => `${jsdoc(text, "  ")}  ${id}: pulumi.Input<string>;\n`).join("\n")}}

${writeClass({
  type,
  kind: `${definition.kind}.${name}`,
  doc: doc.trim(),
  inputs: bare(module) as z.ZodObject,
  extraInputs: ids,
  computed: {},
  secrets: secretPlaces((bare(module) as z.ZodObject).shape as Record<string, z.ZodType>),
  argsOptional: false,
})}`;
}

interface ClassParts {
  readonly type: string;
  readonly kind: string;
  readonly doc: string;
  readonly inputs: z.ZodObject;
  readonly extraInputs?: readonly { name: string; doc: string }[];
  readonly computed: Readonly<Record<string, z.ZodType>>;
  readonly secrets: readonly string[];
  readonly argsOptional: boolean;
  readonly unique?: boolean;
  /** Lists that hold more in outputs than in inputs. */
  readonly lists?: Readonly<Record<string, z.ZodType>>;
}

function writeClass({
  type,
  kind,
  doc,
  inputs,
  extraInputs = [],
  computed,
  secrets,
  argsOptional,
  unique,
  lists = {},
}: ClassParts): string {
  const property = (name: string, type: string, text: string) =>
    `${jsdoc(text, "  ")}  declare readonly ${name}: pulumi.Output<${type}>;\n`;
  const properties = [
    ...extraInputs.map((extra) => property(extra.name, "string", extra.doc)),
    ...Object.entries(inputs.shape as Record<string, z.ZodType>).map(([name, schema]) => {
      const spelled = camelCase(name);
      const always = isAlwaysSet(schema);
      const output = lists[name] ? listType(lists[name]) : plainType(schema, `${type}Args["${spelled}"]`);
      return property(spelled, output + (always ? "" : " | undefined"), docOf(schema));
    }),
    ...Object.entries(computed).map(([name, schema]) =>
      property(
        camelCase(name),
        lists[name] ? listType(lists[name]) : plainType(bare(schema), "unknown"),
        docOf(schema),
      ),
    ),
  ];
  const names = [
    ...extraInputs.map((extra) => extra.name),
    ...Object.keys({ ...inputs.shape, ...computed }).map(camelCase),
  ];
  const list = (names: readonly string[]) => `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;
  return `${jsdoc(doc)}export class ${type} extends Resource {
${properties.join("\n")}
${jsdoc(`@param args the declared properties; see {@link ${type}Args}`, "  ")}  constructor(name: string, args: ${type}Args${argsOptional ? " = {}" : ""}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "${kind}", type: "${type}", properties: ${list(names)}, secrets: ${list(secrets)}${unique ? ", unique: true" : ""} }, name, args, options);
  }

${jsdoc(`Reads an existing object by its id, without managing it.`, "  ")}  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): ${type} {
    return new ${type}(name, {} as ${type}Args, { ...options, id });
  }

${isInstance(type)}}

`;
}

/** The type of a list whose entries have simple fields. */
function listType(list: z.ZodType): string {
  const fields = Object.entries(shapeOf(elementOf(list) ?? list) ?? {});
  return `{ ${fields.map(([name, schema]) => `${camelCase(name)}: ${plainType(bare(schema), "unknown")}`).join("; ")} }[]`;
}

/** The type of an output: a simple type as it is, any other as the unwrapped type of its argument. */
function plainType(schema: z.ZodType, argument: string): string {
  const nested: string[] = [];
  const type = writeType(bare(schema), "", "", { ...args, wrap: (inner) => inner }, nested);
  return nested.length === 0 ? type : `pulumi.Unwrap<NonNullable<${argument}>>`;
}
