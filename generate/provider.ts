import {
  answerSchema,
  asDeclared,
  bare,
  camelCase,
  createSchema,
  type Definition,
  defaultOf,
  fieldsWhere,
  isOptional,
  marksOf,
  withArticle,
} from "@tunnelplane/sdk/contract";
import type { z } from "zod";
import { docOf, type Style, writeInterface, writeType } from "./interfaces";
import { HEADER, jsdoc, modulesWithTypes } from "./names";

const args: Style = {
  spell: camelCase,
  wrap: (type) => `pulumi.Input<${type}>`,
  leaveOut: true,
  nest: (parent, field) => (parent.endsWith("Args") ? `${parent.slice(0, -4)}${field}Module` : `${parent}${field}`),
};

/** The Pulumi classes of one resource type: its own, and one for each of its modules. */
export function providerClasses(definition: Definition): string {
  const { type, title, doc, example } = definition;
  const schema = createSchema(asDeclared(definition));
  const modules = modulesWithTypes(definition).map(({ name, type: moduleType }) => moduleClass(definition, name, moduleType));
  const main = writeClass({
    type,
    kind: definition.kind,
    doc: `${doc}\n\n@example\n\`\`\`ts\n${example}\n\`\`\``,
    inputs: schema,
    computed: { ...definition.computed, uri: field(definition, "uri"), created_at: field(definition, "created_at") },
    secrets: fieldsWhere(definition, (marks) => marks.secret),
    argsOptional: Object.values(schema.shape).every((value) => value.isOptional()),
  });
  return `${HEADER}import type * as pulumi from "@pulumi/pulumi";
import { Resource } from "../resource";

${writeInterface(`${type}Args`, `What ${withArticle(title)} is declared with.`, schema, args)}${main}${modules.join("")}`
    .trimEnd()
    .concat("\n");
}

const field = (definition: Definition, name: string): z.ZodType =>
  (answerSchema(definition).shape as Record<string, z.ZodType>)[name] as z.ZodType;

function moduleClass(definition: Definition, name: string, type: string): string {
  const { title, idField, idPrefix } = definition;
  const module = definition.fields[name] as z.ZodType;
  const id = camelCase(idField);
  const doc = `The ${name} module of ${withArticle(title)}, as a resource of its own: for programs that do not declare the ${title} itself. ${marksOf(module).module?.doc ?? ""}`;
  return `${jsdoc(`What ${withArticle(title)}'s ${name} module is declared with.`)}export interface ${type}Args extends ${type}Module {
${jsdoc(`The ${title} (\`${idPrefix}_…\`). A change moves the module.`, "  ")}  ${id}: pulumi.Input<string>;
}

${writeClass({
  type,
  kind: `${definition.kind}.${name}`,
  doc: doc.trim(),
  inputs: bare(module) as z.ZodObject,
  extraInput: { name: id, doc: `The ${title}.` },
  computed: {},
  secrets: [],
  argsOptional: false,
})}`;
}

interface ClassParts {
  readonly type: string;
  readonly kind: string;
  readonly doc: string;
  readonly inputs: z.ZodObject;
  readonly extraInput?: { name: string; doc: string };
  readonly computed: Readonly<Record<string, z.ZodType>>;
  readonly secrets: readonly string[];
  readonly argsOptional: boolean;
}

function writeClass({ type, kind, doc, inputs, extraInput, computed, secrets, argsOptional }: ClassParts): string {
  const property = (name: string, type: string, text: string) =>
    `${jsdoc(text, "  ")}  declare readonly ${name}: pulumi.Output<${type}>;\n`;
  const properties = [
    ...(extraInput ? [property(extraInput.name, "string", extraInput.doc)] : []),
    ...Object.entries(inputs.shape as Record<string, z.ZodType>).map(([name, schema]) => {
      const spelled = camelCase(name);
      const always = !isOptional(schema) || defaultOf(schema) !== undefined || marksOf(schema).serverDefault;
      return property(spelled, plainType(schema, `${type}Args["${spelled}"]`) + (always ? "" : " | undefined"), docOf(schema));
    }),
    ...Object.entries(computed).map(([name, schema]) => property(camelCase(name), plainType(bare(schema), "unknown"), docOf(schema))),
  ];
  const names = [...(extraInput ? [extraInput.name] : []), ...Object.keys({ ...inputs.shape, ...computed }).map(camelCase)];
  const list = (names: readonly string[]) => `[${names.map((name) => JSON.stringify(name)).join(", ")}]`;
  return `${jsdoc(doc)}export class ${type} extends Resource {
${properties.join("\n")}
${jsdoc(`@param args what is declared; see {@link ${type}Args}`, "  ")}  constructor(name: string, args: ${type}Args${argsOptional ? " = {}" : ""}, options?: pulumi.CustomResourceOptions) {
    super({ kind: "${kind}", type: "${type}", properties: ${list(names)}, secrets: ${list(secrets.map(camelCase))} }, name, args, options);
  }

${jsdoc(`Reads an existing object by its id, without managing it.`, "  ")}  static get(name: string, id: pulumi.Input<pulumi.ID>, options?: pulumi.CustomResourceOptions): ${type} {
    return new ${type}(name, {} as ${type}Args, { ...options, id });
  }
}

`;
}

/** The type of an output: written out where it is simple, else what is left of its argument once that is known. */
function plainType(schema: z.ZodType, argument: string): string {
  const nested: string[] = [];
  const type = writeType(bare(schema), "", "", { ...args, wrap: (inner) => inner }, nested);
  return nested.length === 0 ? type : `pulumi.Unwrap<NonNullable<${argument}>>`;
}
