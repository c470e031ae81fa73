import {
  bare,
  type Definition,
  defaultOf,
  ERRORS,
  EVENT_TYPES,
  isOptional,
  marksOf,
  registry,
  shapeOf,
  targetsOf,
} from "@tunnelplane/sdk/contract";
import { Command } from "commander";
import { z } from "zod";
import { withExamples } from "../examples";
import { UsageError } from "../failures";
import { bold, dim } from "../output";
import { findKind, KIND_NAMES, nameOf } from "./kinds";
import { suggestion } from "./suggest";

/** `tunnelplane explain [name]` */
export function explainCommand(): Command {
  const command = new Command("explain")
    .description("Explain a kind of object, a field, an error code or an event type (works without a server)")
    .argument("[name]", "for example tls-edges, tls-edges.mutual_tls, TP_1501; without it, all kinds are listed")
    .action((name?: string) => {
      for (const line of name === undefined ? overview() : explained(name)) console.log(line);
    });
  return withExamples(
    command,
    ["tunnelplane explain tls-edges", "what it is for, and its fields"],
    ["tunnelplane explain tls-edges.tls_termination", "one field, with those inside it"],
    ["tunnelplane explain TP_1501", "when the server answers this error"],
  );
}

const overview = (): string[] => {
  const width = Math.max(...KIND_NAMES.map((name) => name.length));
  return registry.map((definition) => `${bold(nameOf(definition).padEnd(width))}  ${definition.doc.split(". ")[0]?.replace(/\.$/, "")}.`);
};

function explained(name: string): string[] {
  const errors: readonly { code: string; status: number; when: string; cure?: string }[] = Object.values(ERRORS);
  const error = errors.find(({ code }) => code === name.toUpperCase());
  if (error)
    return [
      `${bold(error.code)} (HTTP ${error.status})`,
      `Answered when ${error.when}.`,
      ...(error.cure ? [withoutLinks(error.cure)] : []),
    ];
  if (EVENT_TYPES.includes(name)) return eventType(name);
  const [kind = "", ...path] = name.split(".");
  const definition = findKind(kind);
  if (!definition) {
    const known = [...KIND_NAMES, ...Object.values(ERRORS).map(({ code }) => code)];
    throw new UsageError(
      `nothing is called "${name}"${suggestion(kind, known) || `; there are error codes, event types, and: ${KIND_NAMES.join(", ")}`}`,
    );
  }
  return path.length === 0 ? kindLines(definition) : fieldLines(definition, path);
}

/** Links of the documentation mean nothing on a terminal. */
const withoutLinks = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1");

const eventType = (name: string): string[] => [
  bold(name),
  `An event that tells of each ${name.replace(/_(created|updated|deleted)\.v0$/, "").replaceAll("_", " ")} that was ${name.replace(/^.*_|\.v0$/g, "")}. A subscription names it among its sources.`,
];

function kindLines({ title, doc, path, idPrefix, fields, computed }: Definition): string[] {
  return [
    bold(title),
    doc,
    "",
    `${dim("Endpoint")}  ${path}    ${dim("ids begin with")} ${idPrefix}_`,
    "",
    bold("Fields that are sent"),
    ...Object.entries(fields).flatMap(([name, schema]) => described(name, schema)),
    ...(Object.keys(computed).length > 0 ? ["", bold("Fields that only answers have")] : []),
    ...Object.entries(computed).flatMap(([name, schema]) => described(name, schema)),
  ];
}

function fieldLines(definition: Definition, path: readonly string[]): string[] {
  let shape: Readonly<Record<string, z.ZodType>> | undefined = { ...definition.fields, ...definition.computed };
  let field: z.ZodType | undefined;
  for (const name of path) {
    field = shape?.[name];
    if (!field) {
      const known = Object.keys(shape ?? {});
      const place = [nameOf(definition), ...path.slice(0, path.indexOf(name))].join(".");
      throw new UsageError(
        `${place} has no field "${name}"${suggestion(name, known) || (known.length > 0 ? `; it has: ${known.join(", ")}` : "")}`,
      );
    }
    shape = insideOf(field);
  }
  const inside = field ? insideOf(field) : undefined;
  return [
    ...described(path.at(-1) ?? "", field as z.ZodType, ""),
    ...(inside ? ["", bold("Fields inside")] : []),
    ...Object.entries(inside ?? {}).flatMap(([name, schema]) => described(name, schema)),
  ];
}

/** The fields of an object, or of the objects in a list. */
function insideOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  const inner = bare(schema);
  return shapeOf(inner instanceof z.ZodArray ? (inner.element as z.ZodType) : inner); // zod types an element by its core
}

function described(name: string, schema: z.ZodType, indent = "  "): string[] {
  const marks = marksOf(schema);
  const facts = [
    isOptional(schema) || schema instanceof z.ZodNullable ? "optional" : "required",
    ...(defaultOf(schema) === undefined ? [] : [`default ${JSON.stringify(defaultOf(schema))}`]),
    ...limitsOf(schema),
    ...(marks.reference ? [`id of ${targetsOf(marks.reference.to).map(nameOf).join(", ") || "a user"}`] : []),
    ...(marks.immutable ? ["set at creation only"] : []),
    ...(marks.secret ? ["secret"] : []),
    ...(marks.once ? ["shown once"] : []),
    ...(marks.programOnly ? ["in programs only"] : []),
  ];
  const text = schema.meta()?.description ?? bare(schema).meta()?.description ?? "";
  return [`${indent}${bold(name)}  ${typeOf(schema)}  ${dim(facts.join(", "))}`, ...(text ? [`${indent}    ${text}`] : [])];
}

function typeOf(schema: z.ZodType): string {
  const inner = bare(schema);
  if (inner instanceof z.ZodArray) return `list of ${typeOf(inner.element as z.ZodType)}`; // zod types an element by its core
  if (inner instanceof z.ZodRecord) return `map of ${typeOf(inner.valueType as z.ZodType)}`; // as above
  if (inner instanceof z.ZodObject) return "object";
  if (inner instanceof z.ZodEnum) return inner.options.map(String).join(" | ");
  if (inner instanceof z.ZodLiteral) return [...inner.values].map((value) => JSON.stringify(value)).join(" | ");
  if (inner instanceof z.ZodBoolean) return "boolean";
  if (inner instanceof z.ZodNumber) return "number";
  return inner instanceof z.ZodUnknown ? "any value" : "string";
}

const WORDS: Readonly<Record<string, (limit: number) => string>> = {
  "x-max-bytes": (limit) => `at most ${limit} bytes`,
  "x-max-characters": (limit) => `at most ${limit} characters`,
  maxLength: (limit) => `at most ${limit} characters`,
  maxItems: (limit) => `at most ${limit} entries`,
  minItems: (limit) => `at least ${limit} entries`,
  minimum: (limit) => `at least ${limit}`,
  maximum: (limit) => `at most ${limit}`,
};

function limitsOf(schema: z.ZodType): string[] {
  const json = z.toJSONSchema(bare(schema), { io: "input", unrepresentable: "any" }) as Record<string, unknown>;
  const most = Number.MAX_SAFE_INTEGER;
  return Object.entries(WORDS).flatMap(([name, word]) => {
    const limit = json[name];
    const isToldAlready = name === "maxLength" && ("x-max-bytes" in json || "x-max-characters" in json);
    return typeof limit === "number" && !isToldAlready && Math.abs(limit) < most ? [word(limit)] : [];
  });
}
