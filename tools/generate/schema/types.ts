import { z } from "zod";
import {
  bare,
  camelCase,
  defaultOf,
  docOf,
  elementOf,
  isAlwaysSet,
  isOptional,
  marksOf,
  pascalCase,
  shapeOf,
} from "../../../sdk/src/contract";
import { docInPrograms } from "../names";
import type { EnumSpec, ObjectSpec, Properties, PropertySpec, TypeSpec } from "./spec";

/** The engine's name of this package. */
export const PACKAGE = "tunnelplane";

/** The engine's name of a type, an enumeration or a function of this package. */
export const tokenOf = (name: string): string => `${PACKAGE}:index:${name}`;

const ANY: TypeSpec = { $ref: "pulumi.json#/Any" };

/** The types of objects and enumerations that properties need, each written down once. */
export class Types {
  readonly specs: Record<string, ObjectSpec | EnumSpec> = {};

  /** @param name of the type that the fields belong to */
  properties(name: string, fields: Readonly<Record<string, z.ZodType>>): Properties {
    return Object.fromEntries(
      Object.entries(fields).map(([field, schema]) => [
        camelCase(field),
        this.#property(`${name}${pascalCase(field)}`, schema),
      ]),
    );
  }

  /** @param doc what the place says that has it, for objects that say nothing themselves */
  type(name: string, schema: z.ZodType, doc = docOf(schema)): TypeSpec {
    const inner = bare(schema);
    const element = elementOf(inner);
    if (element) return { type: "array", items: this.type(name, element, doc) };
    if (inner instanceof z.ZodRecord)
      return { type: "object", additionalProperties: this.type(name, inner.valueType as z.ZodType, doc) };
    const shape = shapeOf(inner);
    if (shape) return this.#object(name, docOf(inner) || doc, shape);
    if (inner instanceof z.ZodEnum) return this.#enumeration(name, inner.options);
    if (inner instanceof z.ZodLiteral)
      return this.#enumeration(name, [...inner.values] as (string | number)[]);
    if (inner instanceof z.ZodBoolean) return { type: "boolean" };
    if (inner instanceof z.ZodNumber) return { type: inner.isInt ? "integer" : "number" };
    if (inner instanceof z.ZodUnknown || inner instanceof z.ZodUnion) return ANY;
    return { type: "string" };
  }

  /** The enumeration or object that a reference points to, else the type itself. */
  resolved(type: TypeSpec): Pick<TypeSpec, "type"> {
    return this.specs[type.$ref?.replace("#/types/", "") ?? ""] ?? type;
  }

  #property(name: string, schema: z.ZodType): PropertySpec {
    const { secret, immutable, module } = marksOf(schema);
    const fallback = defaultOf(schema);
    const meta = { ...bare(schema).meta(), ...schema.meta() };
    return {
      ...this.type(module ? `${name}Module` : name, schema),
      description: [docInPrograms(schema), limitOf(schema)].filter(Boolean).join(" "),
      ...(["string", "number", "boolean"].includes(typeof fallback) && fallback !== ""
        ? { default: fallback as string }
        : {}),
      ...(secret ? { secret } : {}),
      ...(immutable ? { replaceOnChanges: true, willReplaceOnChanges: true } : {}),
      ...(meta.deprecated ? { deprecationMessage: docOf(schema) } : {}),
    };
  }

  #object(name: string, description: string, shape: Readonly<Record<string, z.ZodType>>): TypeSpec {
    const token = tokenOf(name);
    this.specs[token] ??= {
      type: "object",
      description,
      properties: this.properties(name, shape),
      required: requiredOf(shape),
    };
    return { $ref: `#/types/${token}` };
  }

  #enumeration(name: string, values: readonly (string | number)[]): TypeSpec {
    const token = tokenOf(name);
    const type = values.every((value) => typeof value === "string") ? "string" : "integer";
    this.specs[token] ??= { type, enum: values.map((value) => ({ name: nameOf(value), value })) };
    return { $ref: `#/types/${token}` };
  }
}

/** The fields that cannot be left out. */
export const requiredOf = (shape: Readonly<Record<string, z.ZodType>>): string[] =>
  Object.entries(shape)
    .filter(([, schema]) => !isOptional(schema) && !(schema instanceof z.ZodNullable))
    .map(([name]) => camelCase(name));

/** The fields that answers always carry. */
export const alwaysIn = (shape: Readonly<Record<string, z.ZodType>>): string[] =>
  Object.entries(shape)
    .filter(([, schema]) => isAlwaysSet(schema))
    .map(([name]) => camelCase(name));

/** A value as the name of a constant: `at+jwt` → `AtJwt`, `1.2` → `V1_2`. */
function nameOf(value: string | number): string {
  const words = String(value)
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean);
  const isNumber = words.every((word) => /^\d+$/.test(word));
  const name = isNumber
    ? words.join("_")
    : words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return /^\d/.test(name) ? `V${name}` : name;
}

/** The limit of a value, where the description does not say it. */
function limitOf(schema: z.ZodType): string | undefined {
  if (/at most/i.test(docOf(schema)) || marksOf(schema).reference) return undefined;
  const inner = bare(schema);
  const {
    maxProperties,
    "x-max-bytes": bytes,
    "x-max-characters": characters,
  } = { ...inner.meta(), ...schema.meta() };
  const [most, unit] = [
    [
      (inner as { _zod?: { bag?: { maximum?: number } } })._zod?.bag?.maximum,
      inner instanceof z.ZodArray ? "entries" : undefined,
    ],
    [maxProperties, "entries"],
    [bytes, "bytes"],
    [characters, "characters"],
  ].find(([value, name]) => value !== undefined && name !== undefined) ?? [undefined];
  return most === undefined ? undefined : `At most ${most} ${unit}.`;
}
