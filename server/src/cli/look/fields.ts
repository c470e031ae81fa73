import {
  bare,
  counted,
  defaultOf,
  elementOf,
  isOptional,
  marksOf,
  shapeOf,
  targetsOf,
} from "@tunnelplane/sdk/contract";
import { z } from "zod";
import { bold, dim } from "../output";
import { nameOf } from "./kinds";

export type Shape = Readonly<Record<string, z.ZodType>>;

/** The facts about a field. */
interface Field {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly required: boolean;
  readonly default?: unknown;
  /** For example `{ max_bytes: 255 }`. */
  readonly limits: Readonly<Record<string, number>>;
  /** The kinds that it may be an id of. */
  readonly refers_to?: readonly string[];
  readonly immutable: boolean;
  readonly secret: boolean;
  readonly shown_once: boolean;
  readonly programs_only: boolean;
  readonly fields: readonly Field[];
}

export const fieldsIn = (shape: Shape): Field[] =>
  Object.entries(shape).map(([name, schema]) => fieldOf(name, schema));

export function fieldOf(name: string, schema: z.ZodType): Field {
  const { reference, immutable, secret, once, programOnly } = marksOf(schema);
  const preset = defaultOf(schema);
  return {
    name,
    type: typeOf(schema),
    description: schema.meta()?.description ?? bare(schema).meta()?.description ?? "",
    required: !(isOptional(schema) || schema instanceof z.ZodNullable),
    ...(preset === undefined ? {} : { default: preset }),
    limits: limitsOf(schema),
    ...(reference ? { refers_to: targetsOf(reference.to).map(nameOf) } : {}),
    immutable: Boolean(immutable),
    secret: Boolean(secret),
    shown_once: Boolean(once),
    programs_only: Boolean(programOnly),
    fields: fieldsIn(insideOf(schema) ?? {}),
  };
}

/** The fields of an object, or of the objects in a list. */
export function insideOf(schema: z.ZodType): Shape | undefined {
  return shapeOf(elementOf(schema) ?? schema);
}

function typeOf(schema: z.ZodType): string {
  const inner = bare(schema);
  const element = elementOf(inner);
  if (element) return `list of ${typeOf(element)}`;
  if (inner instanceof z.ZodRecord) return `map of ${typeOf(inner.valueType as z.ZodType)}`; // zod types it by its core
  if (inner instanceof z.ZodObject) return "object";
  if (inner instanceof z.ZodEnum) return inner.options.map(String).join(" | ");
  if (inner instanceof z.ZodLiteral)
    return [...inner.values].map((value) => JSON.stringify(value)).join(" | ");
  if (inner instanceof z.ZodBoolean) return "boolean";
  if (inner instanceof z.ZodNumber) return "number";
  return inner instanceof z.ZodUnknown ? "any value" : "string";
}

/** The limits in a JSON Schema, with their names and words here. */
const LIMITS: Readonly<Record<string, readonly [name: string, words: (limit: number) => string]>> = {
  "x-max-bytes": ["max_bytes", (limit) => `at most ${limit} bytes`],
  "x-max-characters": ["max_characters", (limit) => `at most ${limit} characters`],
  maxLength: ["max_characters", (limit) => `at most ${limit} characters`],
  maxItems: ["max_entries", (limit) => `at most ${counted(limit, "entry")}`],
  minItems: ["min_entries", (limit) => `at least ${counted(limit, "entry")}`],
  minimum: ["minimum", (limit) => `at least ${limit}`],
  maximum: ["maximum", (limit) => `at most ${limit}`],
};
const WORDS = new Map(Object.values(LIMITS));

function limitsOf(schema: z.ZodType): Record<string, number> {
  const json: Readonly<Record<string, unknown>> = z.toJSONSchema(bare(schema), {
    io: "input",
    unrepresentable: "any",
  });
  const limits = Object.entries(LIMITS).flatMap(([keyword, [name]]): [string, number][] => {
    const limit = json[keyword];
    const isNamedAlready = keyword === "maxLength" && ("x-max-bytes" in json || "x-max-characters" in json);
    return typeof limit === "number" && !isNamedAlready && Math.abs(limit) < Number.MAX_SAFE_INTEGER
      ? [[name, limit]]
      : [];
  });
  return Object.fromEntries(limits);
}

/** A field for people, without those inside it. */
export function linesOf(field: Field, indent = "  "): string[] {
  const facts = [
    field.required ? "required" : "optional",
    ...(field.default === undefined ? [] : [`default ${JSON.stringify(field.default)}`]),
    ...Object.entries(field.limits).map(([name, limit]) => WORDS.get(name)?.(limit)),
    ...(field.refers_to ? [`id of ${field.refers_to.join(", ") || "a user"}`] : []),
    ...(field.immutable ? ["set at creation only"] : []),
    ...(field.secret ? ["secret"] : []),
    ...(field.shown_once ? ["shown once"] : []),
    ...(field.programs_only ? ["in programs only"] : []),
  ];
  return [
    `${indent}${bold(field.name)}  ${field.type}  ${dim(facts.join(", "))}`,
    ...(field.description ? [`${indent}    ${field.description}`] : []),
  ];
}
