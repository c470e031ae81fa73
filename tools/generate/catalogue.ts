import { z } from "zod";
import {
  bare,
  camelCase,
  collectionOf,
  createSchema,
  type Definition,
  docOf,
  ENTRY_NAME,
  marksOf,
  PROJECT_NAME,
  targetsOf,
  type Variants,
} from "../../sdk/src/contract";
import { fileOf, HEADER, jsdoc } from "./names";

type Json = Record<string, unknown>;

const PROJECT: Json = {
  description:
    "The name of the project in which the objects are. Without it, the project of the settings or of the API key.",
  type: "string",
  pattern: PROJECT_NAME.source,
};

/** The TypeScript type of a catalogue's resources: its collections and the classes of their entries. */
export function catalogueType(registry: readonly Definition[]): string {
  const imports = registry.map(
    (definition) => `import type { ${definition.type} } from "./${fileOf(definition)}";\n`,
  );
  const members = registry.map(
    (definition) =>
      `${jsdoc(definition.doc, "  ")}  readonly ${collectionOf(definition)}: Readonly<Record<string, ${definition.type}>>;\n`,
  );
  return `${HEADER}${imports.sort().join("")}
${jsdoc("The resources that a catalogue declares, by collection and name.")}export interface Catalogue {
${members.join("\n")}}
`;
}

/** The JSON Schema of catalogues. Editors complete and check catalogues with it. */
export function catalogueSchema(registry: readonly Definition[]): string {
  const collections = registry.map((definition) => {
    const mayBeEmpty = Object.values(createSchema(definition).shape).every((field) => field.isOptional());
    const args = { $ref: `#/$defs/${definition.type}` };
    return [
      collectionOf(definition),
      {
        description: definition.doc,
        type: ["object", "null"],
        propertyNames: { pattern: ENTRY_NAME.source },
        additionalProperties: mayBeEmpty ? { anyOf: [args, { type: "null" }] } : args,
      },
    ];
  });
  const schema = {
    $comment: HEADER.trim().replace(/^\/\/ /, ""),
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "tunnelplane catalogue",
    description: "Everything that a catalogue declares: collections of entries, by name.",
    type: ["object", "null"],
    properties: { project: PROJECT, ...Object.fromEntries(collections) },
    additionalProperties: false,
    $defs: Object.fromEntries(registry.map((definition) => [definition.type, argsSchema(definition)])),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

function argsSchema(definition: Definition): Json {
  const { $schema, ...schema } = z.toJSONSchema(createSchema(definition), {
    io: "input",
    unrepresentable: "any",
    reused: "inline",
    override: ({ zodSchema, jsonSchema }) => {
      const field = zodSchema as unknown as z.ZodType;
      const doc = [docOf(field), hintOf(field)].filter(Boolean).join(" ");
      if (doc) jsonSchema.description = doc;
      // A limit in bytes also limits the characters, because each takes at least one byte.
      const limit = jsonSchema["x-max-bytes"] ?? jsonSchema["x-max-characters"];
      if (typeof limit === "number") jsonSchema.maxLength = limit;
      if (!(field instanceof z.ZodObject)) return;
      inCamelCase(jsonSchema);
      const { variants } = marksOf(field);
      if (variants) jsonSchema.allOf = conditionsOf(variants);
    },
  });
  return { description: definition.doc, ...schema };
}

/** The shapes of a field by the value of another, for editors. */
const conditionsOf = ({ by, field, shapes }: Variants): Json[] =>
  Object.entries(shapes).map(([value, shape]) => {
    const { $schema, ...settings } = z.toJSONSchema(shape, {
      io: "input",
      unrepresentable: "any",
      reused: "inline",
    });
    return {
      if: { properties: { [by]: { const: value } }, required: [by] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { [field]: settings } },
    };
  });

/** Describes the values that a reference may have. */
function hintOf(schema: z.ZodType): string {
  const targets = targetsOf(marksOf(schema).reference?.to ?? []);
  const names = targets.map((target) => `the name of an entry of \`${collectionOf(target)}\``);
  const ids = targets.map((target) => `\`${target.idPrefix}_…\``);
  if (targets.length === 0) return "";
  const each = bare(schema) instanceof z.ZodArray ? "Each is" : "This is";
  return `${each} ${names.join(" or ")}, or the id of an existing object (${ids.join(", ")}).`;
}

function inCamelCase(schema: Json): void {
  schema.properties = Object.fromEntries(
    Object.entries(schema.properties as Json).map(([name, field]) => [camelCase(name), field]),
  );
  if (schema.required) schema.required = (schema.required as string[]).map(camelCase);
}
