import { z } from "zod";
import {
  bare,
  camelCase,
  defaultOf,
  docOf,
  elementOf,
  isOptional,
  type Marks,
  marksOf,
  shapeOf,
  targetsOf,
} from "../../../sdk/src/contract";

/** The first version; fields without a mark are there since then. */
const FIRST_VERSION = "0.1.0";

/**
 * Tables of the fields that a schema takes, those of the objects inside too, each by its whole path. The
 * fields of each module are folded below a heading.
 */
export function fieldTables(fields: Readonly<Record<string, z.ZodType>>): string {
  const modules: string[] = [];
  const rows = Object.entries(fields).flatMap(([name, schema]) => {
    const [own = "", ...inside] = rowsOf(name, schema, {});
    if (!marksOf(schema).module || inside.length === 0) return [own, ...inside];
    const count = inside.length === 1 ? "1 field" : `${inside.length} fields`;
    modules.push(`### \`${name}\`\n\n${fold(count, fieldTable(inside))}`);
    return own;
  });
  return [fieldTable(rows), ...modules].join("\n");
}

const fieldTable = (rows: readonly string[]): string =>
  `| Field | Type and values | Default | Limit | What else holds | What it is |\n|---|---|---|---|---|---|\n${rows.join("")}`;

/** Something that a page shows once its reader opens it. */
export const fold = (summary: string, content: string): string =>
  `<details>\n<summary>${summary}</summary>\n\n${content.trimEnd()}\n\n</details>\n`;

/** A table of the fields that answers have beside those that were sent. */
export function answerTable(fields: Readonly<Record<string, z.ZodType>>): string {
  const rows = Object.entries(fields).map(([name, schema]) => {
    const { secret, once } = marksOf(schema);
    const more = [once && "one-time", secret && "secret"].filter(Boolean).join(", ");
    return row(`\`${name}\``, typeOf(schema), more || "–", docOf(schema).replace(/ ?Secret\.$/, ""));
  });
  return `| Field | Type | What else holds | What it is |\n|---|---|---|---|\n${rows.join("")}`;
}

function rowsOf(path: string, schema: z.ZodType, above: Marks): string[] {
  const marks = marksOf(schema);
  const own = row(
    marks.programOnly ? `\`${camelCase(path)}\` (programs and catalogues only)` : `\`${path}\``,
    typeOf(schema),
    defaultText(schema),
    limitsOf(schema),
    holdsOf(schema, above),
    cell(docOf(schema).replace(/ ?Secret\.$/, "")),
  );
  const variants = marks.variants ?? marksOf(elementOf(schema) ?? schema).variants;
  const inner = shapeOf(schema) ?? shapeOf(elementOf(schema) ?? schema);
  const at = elementOf(schema) ? `${path}[]` : path;
  const within = { immutable: marks.immutable ?? above.immutable };
  return [
    own,
    ...Object.entries(inner ?? {}).flatMap(([name, field]) => rowsOf(`${at}.${name}`, field, within)),
    ...Object.entries(variants?.shapes ?? {}).flatMap(([value, shape]) =>
      Object.entries(shape.shape as Record<string, z.ZodType>).map(([name, setting]) =>
        row(
          `\`${at}.${variants?.field}.${name}\` of \`${value}\``,
          typeOf(setting),
          defaultText(setting),
          limitsOf(setting),
          holdsOf(setting, within),
          cell(docOf(setting)),
        ),
      ),
    ),
  ];
}

const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;

export const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ");

/** What kind of value it is, with every value of an enumeration. */
function typeOf(schema: z.ZodType): string {
  const inner = bare(schema);
  if (inner instanceof z.ZodEnum) return inner.options.map((option) => `\`"${option}"\``).join(", ");
  if (inner instanceof z.ZodLiteral)
    return [...inner.values].map((value) => `\`${JSON.stringify(value)}\``).join(", ");
  const element = elementOf(inner);
  if (element) return `list of ${plural(typeOf(element))}`;
  if (inner instanceof z.ZodRecord) return `map of ${plural(typeOf(inner.valueType as z.ZodType))}`;
  if (inner instanceof z.ZodObject) return marksOf(schema).module ? "module" : "object";
  if (inner instanceof z.ZodBoolean) return "boolean";
  if (inner instanceof z.ZodNumber) return inner.isInt ? "integer" : "number";
  if (inner instanceof z.ZodUnknown) return "any value";
  const { format } = jsonSchemaOf(inner);
  return format === "date-time" ? "time (RFC 3339)" : format === "uri" ? "URL" : "string";
}

const plural = (type: string): string => {
  if (/^(?:list|map) of /.test(type)) return type.replace(/^\w+/, "$&s");
  return /^`/.test(type) ? type : type === "any value" ? "any values" : `${type}s`;
};

function defaultText(schema: z.ZodType): string {
  const fallback = defaultOf(schema);
  if (fallback !== undefined) return `\`${JSON.stringify(fallback)}\``;
  const [, said] = /Default(?: for these)?:? (.+?)(?:\. |\.$)/.exec(docOf(schema)) ?? [];
  return said ? cell(said) : marksOf(schema).module ? "not configured" : "–";
}

interface JsonSchema {
  readonly [keyword: string]: unknown;
  readonly format?: string;
}

const jsonSchemaOf = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any", reused: "inline" });

/** The limits that a value has to keep, those of a list's or map's entries too. */
function limitsOf(schema: z.ZodType): string {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject || inner instanceof z.ZodUnknown || inner instanceof z.ZodEnum) return "–";
  const made = jsonSchemaOf(inner);
  const element =
    elementOf(inner) ?? (inner instanceof z.ZodRecord ? (inner.valueType as z.ZodType) : undefined);
  const ofEntries = element ? limitsOf(element) : "–";
  const limits = [
    made.minimum !== undefined && made.maximum !== undefined && `${made.minimum} to ${made.maximum}`,
    made.minimum !== undefined && made.maximum === undefined && `at least ${made.minimum}`,
    made.minItems !== undefined && `at least ${made.minItems}`,
    made.maxItems !== undefined && `${made.maxItems} entries`,
    made.maxProperties !== undefined && `${made.maxProperties} entries`,
    made.minLength === 1 && "not empty",
    made["x-max-bytes"] !== undefined && `${made["x-max-bytes"]} bytes`,
    made["x-max-characters"] !== undefined && `${made["x-max-characters"]} characters`,
    made["x-max-bytes"] === undefined &&
      made["x-max-characters"] === undefined &&
      made.maxLength !== undefined &&
      `${made.maxLength} characters`,
    ofEntries !== "–" && `each ${ofEntries}`,
  ].filter((limit) => limit !== false && !String(limit).includes("9007199254740991"));
  return limits.length > 0 ? limits.join(", ") : "–";
}

/**
 * Whether it has to be sent, is secret, refers to something, or replaces the object; and since when it is
 * there.
 */
function holdsOf(schema: z.ZodType, above: Marks): string {
  const marks = marksOf(schema);
  const targets = targetsOf(marks.reference?.to ?? []).map(({ title, kind }) => `[${title}](${kind}.md)`);
  return [
    isOptional(schema) ? "optional" : "required",
    marks.secret && "secret",
    (marks.immutable ?? above.immutable) && "a change replaces the object",
    targets.length > 0 && `id of ${targets.join(" or ")}`,
    marks.reference?.answeredAs && `answered as \`${marks.reference.answeredAs}\``,
    marks.userKeys && "names are your own",
    `since ${marks.since ?? FIRST_VERSION}`,
  ]
    .filter(Boolean)
    .join("; ");
}
