import { z } from "zod";
import { bare, docOf, isOptional, marksOf, pascalCase, type Variants } from "../../sdk/src/contract";
import { jsdoc } from "./names";

/** How to write a schema as TypeScript. */
export interface Style {
  /** Spells a field's name. */
  readonly spell: (name: string) => string;
  /** The description of a field. */
  readonly words: (schema: z.ZodType) => string;
  /** Wraps the type of each value, for example as `pulumi.Input<…>`. */
  readonly wrap: (type: string) => string;
  /** Whether a field may be left out. */
  readonly mayBeLeftOut: (schema: z.ZodType) => boolean;
  /** Whether nobody changes what is inside. */
  readonly isReadonly?: true;
  /** Whether the fields of an object that has exactly one field set may also be null. */
  readonly nullable: boolean;
  /** Whether an object whose one field depends on another is written as a union. */
  readonly variants: boolean;
  /** Names the interface of an object in a field. */
  readonly nest: (parent: string, field: string) => string;
}

/** Writes an object schema as an interface, preceded by the interfaces of the objects inside it. */
export function writeInterface(name: string, doc: string, schema: z.ZodType, style: Style): string {
  const nested: string[] = [];
  const { alternatives = [] } = marksOf(bare(schema));
  const fields = Object.entries((bare(schema) as z.ZodObject).shape as Record<string, z.ZodType>)
    .map(([field, value]) => {
      const optional = style.mayBeLeftOut(value);
      const written = writeType(value, name, field, style, nested);
      // The specification shows the others of such fields as null, in bodies too.
      const type = style.wrap(
        style.nullable && optional && alternatives.includes(field) ? `${written} | null` : written,
      );
      const words = style.words(value);
      return `${words && jsdoc(words, "  ")}  ${style.isReadonly ? "readonly " : ""}${style.spell(field)}${optional ? "?" : ""}: ${type};\n`;
    })
    .join("\n");
  const others = isLoose(schema) ? "\n  readonly [field: string]: unknown;\n" : "";
  return `${nested.join("")}${jsdoc(doc)}export interface ${name} {\n${fields}${others}}\n\n`;
}

/** Writes a schema as a type; the interfaces that it needs are added to `nested`. */
export function writeType(
  schema: z.ZodType,
  parent: string,
  field: string,
  style: Style,
  nested: string[],
): string {
  if (schema instanceof z.ZodNullable)
    return `${writeType(schema.unwrap() as z.ZodType, parent, field, style, nested)} | null`;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return writeType(schema.unwrap() as z.ZodType, parent, field, style, nested);
  }
  if (schema instanceof z.ZodObject) {
    if (isRef(schema)) return "Ref";
    if (isLoose(schema) && Object.keys(schema.shape).length === 0) return "Readonly<Record<string, unknown>>";
    const { variants } = marksOf(schema);
    if (variants && style.variants) return variantsOf(variants, style);
    const name = style.nest(parent, pascalCase(field));
    nested.push(
      writeInterface(name, docOf(schema) || `The fields of \`${style.spell(field)}\`.`, schema, style),
    );
    return name;
  }
  if (schema instanceof z.ZodArray) {
    const list = arrayOf(style.wrap(writeType(schema.element as z.ZodType, parent, field, style, nested)));
    return style.isReadonly ? `readonly ${list}` : list;
  }
  if (schema instanceof z.ZodRecord) {
    const map = `Record<string, ${style.wrap(writeType(schema.valueType as z.ZodType, parent, field, style, nested))}>`;
    return style.isReadonly ? `Readonly<${map}>` : map;
  }
  if (schema instanceof z.ZodEnum) return schema.options.map((option) => JSON.stringify(option)).join(" | ");
  if (schema instanceof z.ZodLiteral)
    return [...schema.values].map((value) => JSON.stringify(value)).join(" | ");
  if (schema instanceof z.ZodBoolean) return "boolean";
  if (schema instanceof z.ZodNumber) return "number";
  if (schema instanceof z.ZodUnknown) return "unknown";
  return "string";
}

/** One object type for each value of the field that decides: `{ type: "deny"; config?: { … } } | …`. */
function variantsOf({ by, field, shapes }: Variants, style: Style): string {
  const objects = Object.entries(shapes).map(([value, shape]) => {
    const settings = Object.entries(shape.shape as Record<string, z.ZodType>).map(
      ([name, setting]) =>
        `${name}${isOptional(setting) ? "?" : ""}: ${writeType(setting, "", name, style, [])}`,
    );
    const mayBeLeftOut = Object.values(shape.shape).every((setting) =>
      style.mayBeLeftOut(setting as z.ZodType),
    );
    return `{ ${by}: ${JSON.stringify(value)}; ${field}${mayBeLeftOut ? "?" : ""}: { ${settings.join("; ")} } }`;
  });
  return `\n    | ${objects.join("\n    | ")}\n  `;
}

const arrayOf = (element: string): string => (element.includes(" ") ? `(${element})[]` : `${element}[]`);

/** Whether it also has fields that nobody lists. */
const isLoose = (schema: z.ZodType): boolean =>
  bare(schema) instanceof z.ZodObject && (bare(schema) as z.ZodObject).def.catchall instanceof z.ZodUnknown;

const isRef = (schema: z.ZodObject): boolean => Object.keys(schema.shape).join() === "id,uri";
