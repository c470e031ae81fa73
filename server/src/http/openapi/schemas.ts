import {
  bare,
  decisionRequestSchema,
  decisionSchema,
  ERRORS,
  elementOf,
  idPattern,
  isObject,
  isOptional,
  marksOf,
  own,
  present,
  refSchema,
  shapeOf,
  targetsOf,
  type Variants,
} from "@tunnelplane/sdk/contract";
import type { Shape } from "@tunnelplane/sdk/operations";
import { z } from "zod";

export type Json = Record<string, unknown>;

/**
 * The readers of a document: generators of `clients`, which want plain types with names; or programs on the
 * `wire`, which need everything that the server accepts, including values that older clients send for "left
 * out".
 */
export type Reader = "clients" | "wire";

/**
 * Answers have none of these limits, because objects that were stored before a limit existed are answered as
 * they are.
 */
const LIMITS_OF_WHAT_IS_SENT = ["minLength", "maxLength", "minItems", "maxItems", "maxProperties"] as const;

/** The component schemas of a document, each made once, when it is first referred to. */
export class Schemas {
  readonly #components = new Map<string, Json>();

  constructor(private readonly reader: Reader) {}

  /** Every component so far, by name. */
  get all(): Record<string, Json> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Refers to the component of a shape. */
  of({ name, schema, io }: Shape): Json {
    const named = this.reader === "clients" ? marksOf(schema).name : undefined;
    return this.#refer(named ? inputName(named, io) : name, () => this.#schemaOf({ name, schema, io }));
  }

  /** Refers to a component of this name. */
  add(name: string, schema: Json): Json {
    return this.#refer(name, () => schema);
  }

  #refer(name: string, make: () => Json): Json {
    if (!this.#components.has(name)) {
      this.#components.set(name, {}); // so that it can be referred to from within
      this.#components.set(name, make());
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  #schemaOf(shape: Shape): Json {
    return this.reader === "wire" ? wireSchema(shape) : this.#clientSchema(shape);
  }

  #clientSchema(shape: Shape): Json {
    const { schema, io } = shape;
    const names = namesWithin(
      schema,
      marksOf(schema).name ?? shape.name.replace(/(Create|Update|Replace)$/, ""),
    );
    const { $schema, ...made } = z.toJSONSchema(schema, {
      io,
      unrepresentable: "any",
      override: ({ jsonSchema, zodSchema }) => {
        const field = zodSchema as unknown as z.ZodType;
        if (jsonSchema.format === "date-time") delete jsonSchema.pattern; // a page long; the format says the same
        if (jsonSchema.type === "number" && jsonSchema.enum?.every(Number.isInteger))
          jsonSchema.type = "integer";
        if (io === "output") {
          for (const limit of LIMITS_OF_WHAT_IS_SENT) delete jsonSchema[limit];
          if (!isNarrow(jsonSchema.additionalProperties)) delete jsonSchema.additionalProperties; // later versions may answer more
        } else sayWhichIds(jsonSchema, field);
        if (!(field instanceof z.ZodObject) && !(field instanceof z.ZodUnion)) return;
        const { variants, alternatives } = marksOf(field);
        if (variants && field instanceof z.ZodObject) this.#oneOf(jsonSchema, field, variants, io);
        if (io === "input" && alternatives) mayBeNull(jsonSchema, alternatives);
        if (field === schema && io === "input" && alternatives)
          this.#eachAlone(jsonSchema, shape, alternatives);
        const name = field instanceof z.ZodObject ? names.get(field) : marksOf(field).name;
        if (!name) return;
        const { description, ...rest } = jsonSchema;
        const reference = this.#refer(inputName(name, io), () => rest);
        for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
        Object.assign(jsonSchema, reference, description && { description });
      },
    });
    return made;
  }

  /** A body that holds exactly one of its fields: one component for each. */
  #eachAlone(jsonSchema: Json, { name, schema }: Shape, alternatives: readonly string[]): void {
    if (Object.keys(shapeOf(schema) ?? {}).length > alternatives.length) return;
    const properties = propertiesOf(jsonSchema);
    const options = alternatives.map((one) => {
      const { anyOf: [only] = [own(properties, one)], description } = own(properties, one) as {
        anyOf?: Json[];
        description?: string;
      };
      const body = {
        type: "object",
        additionalProperties: false,
        required: [one],
        properties: { [one]: { ...only, description } },
      };
      return this.add(`${name}${nameOf(one)}`, body);
    });
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
    jsonSchema.oneOf = options;
  }

  /** An object whose one field has a shape by the value of another: one component for each. */
  #oneOf(jsonSchema: Json, object: z.ZodObject, { by, field, shapes }: Variants, io: Shape["io"]): void {
    const properties = propertiesOf(jsonSchema);
    const required = jsonSchema.required as string[];
    const mapping: Record<string, string> = {};
    const options = Object.entries(shapes).map(([value, shape]) => {
      const name = inputName(`${nameOf(value)}Action`, io);
      const settings = this.#clientSchema({ name, schema: shape, io });
      const mayBeLeftOut = io === "input" && Object.values(shapeOf(shape) ?? {}).every(isOptional);
      const reference = this.add(name, {
        ...jsonSchema,
        description: `The action \`${value}\`.`,
        required: mayBeLeftOut ? required : [...new Set([...required, field])],
        properties: {
          ...properties,
          [by]: { description: own(properties, by)?.description, type: "string", const: value },
          [field]: { description: `Settings of the action \`${value}\`.`, ...settings },
        },
      });
      mapping[value] = reference.$ref as string;
      return reference;
    });
    const description = object.meta()?.description;
    for (const key of Object.keys(jsonSchema)) delete jsonSchema[key];
    Object.assign(jsonSchema, {
      ...(description ? { description } : {}),
      oneOf: options,
      discriminator: { propertyName: by, mapping },
    });
  }
}

/** The names of bodies have this end, those of answers do not, as in the specification. */
const inputName = (name: string, io: Shape["io"]): string => (io === "input" ? `${name}Mutate` : name);

/** The names of the objects inside a shape: their own, or made from their places. */
function namesWithin(schema: z.ZodType, prefix: string): Map<z.ZodType, string> {
  const names = new Map<z.ZodType, string>();
  const look = (value: z.ZodType, within: string): void => {
    const inner = bare(value);
    const element =
      elementOf(inner) ?? (inner instanceof z.ZodRecord ? (inner.valueType as z.ZodType) : undefined);
    if (element) look(element, singular(within));
    if (inner instanceof z.ZodUnion)
      for (const option of inner.options)
        look(option as z.ZodType, `${marksOf(inner).name ?? within}${kindOf(option as z.ZodType)}`);
    const shape = shapeOf(inner);
    if (!shape || names.has(inner) || (inner !== schema && Object.keys(shape).length === 0)) return;
    const name = marksOf(inner).name ?? within;
    if (inner !== schema) names.set(inner, name);
    for (const [field, of] of Object.entries(shape)) look(of, `${name}${nameOf(field)}`);
  };
  look(schema, prefix);
  return names;
}

/** The value that distinguishes an option of a union from the others, as a name. */
const kindOf = (option: z.ZodType): string => {
  const { kind } = shapeOf(option) ?? {};
  return kind instanceof z.ZodLiteral ? nameOf(String([...kind.values][0])) : "";
};

const singular = (name: string): string => name.replace(/(ies|s)$/, (end) => (end === "ies" ? "y" : ""));

/** `rate-limit` and `rate_limit` as a name: `RateLimit`. */
const nameOf = (word: string): string =>
  word.replace(/(?:^|[_-])([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Says which prefixes the ids of a reference may have. */
function sayWhichIds(jsonSchema: Json, field: z.ZodType): void {
  const { reference } = marksOf(field);
  if (!reference) return;
  const prefixes = targetsOf(reference.to).map(({ idPrefix }) => idPrefix);
  const pattern = idPattern([...prefixes, ...(reference.to.includes("user") ? ["usr"] : [])]);
  const id = jsonSchema.type === "array" ? (jsonSchema.items as Json) : jsonSchema;
  if (id.type === "string") id.pattern = pattern;
}

/** The specification shows the unused alternatives as null, in bodies too. */
function mayBeNull(jsonSchema: Json, alternatives: readonly string[]): void {
  const properties = propertiesOf(jsonSchema);
  for (const name of alternatives) {
    const { description, ...schema } = present(own(properties, name));
    properties[name] = { anyOf: [schema, { type: "null" }], ...(description ? { description } : {}) };
  }
}

/** Whether a schema of further properties says what they are. */
const isNarrow = (more: unknown): boolean => isObject(more) && Object.keys(more).length > 0;

/** The schemas of an object's properties. */
const propertiesOf = (jsonSchema: Json) => jsonSchema.properties as Record<string, Json>; // JSON Schema allows booleans, zod writes none

function wireSchema({ name, schema, io }: Shape): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema, zodSchema }) => {
      // zod's pattern for date-times is a page long; the format says the same.
      if (jsonSchema.format === "date-time") delete jsonSchema.pattern;
      if (zodSchema === refSchema) jsonSchema.title = "Ref";
      delete jsonSchema.$ref; // this document names no shapes
      if (io === "output" && marksOf(zodSchema as unknown as z.ZodType).made)
        // as above
        jsonSchema.type = ["string", "null"];
      if (io === "output") for (const limit of LIMITS_OF_WHAT_IS_SENT) delete jsonSchema[limit];
      if (io === "input" && zodSchema instanceof z.ZodObject) {
        const isUpdate = zodSchema === schema && name.endsWith("Update");
        acceptLeftOut(zodSchema.shape, propertiesOf(jsonSchema), isUpdate);
      }
    },
  });
  return rest;
}

/** Older clients send some values for "left out": lets optional fields accept them. */
function acceptLeftOut(
  shape: Readonly<Record<string, z.ZodType>>,
  properties: Record<string, Json>,
  isUpdate: boolean,
): void {
  for (const [name, field] of Object.entries(shape)) {
    const property = own(properties, name);
    if (!isOptional(field) || !property) continue;
    const { description, default: fallback, ...schema } = property;
    // In an update, "" and 0 are values if the field allows them.
    const zeros = marksOf(field).module
      ? []
      : ["", 0].filter((zero) => !isUpdate || !field.safeParse(zero).success);
    const leftOut = zeros.length > 0 ? { enum: [null, ...zeros] } : { type: "null" };
    properties[name] = { description, default: fallback, anyOf: [schema, { ...leftOut, title: "left out" }] };
  }
}

/** The body of every answer with a status of 400 or more. */
export const errorShape: Shape = {
  name: "Error",
  io: "output",
  schema: z.object({
    error_code: z
      .string()
      .meta({ description: "Stable number of the error.", examples: [ERRORS.invalid_field.code] }),
    status_code: z.int().meta({ description: "The HTTP status." }),
    msg: z.string().meta({ description: "What is wrong, what was expected and what to do." }),
    details: z
      .record(z.string(), z.string())
      .meta({ description: "`operation_id`, and `field` if one field is wrong." }),
    faults: z
      .array(z.object({ key: z.string(), field: z.string(), error_code: z.string(), msg: z.string() }))
      .optional()
      .meta({
        description:
          "Of a change set: its faults, at most 1,000; `key` is `<kind>/<key>`, or empty for the request itself.",
      }),
    fault_count: z.int().optional().meta({ description: "Of a change set: how many faults there are." }),
    guarantees: z
      .array(
        z.object({
          id: z.string(),
          description: z.string(),
          example: z
            .object({ request: decisionRequestSchema(), before: decisionSchema(), after: decisionSchema() })
            .optional(),
          request: decisionRequestSchema().optional(),
          reason: z.string().optional(),
        }),
      )
      .optional()
      .meta({
        description:
          "The guarantees that refuse the change, at most 10, each with a request that breaks it and its decisions before and after, or why it can no longer be proved.",
      }),
    error: z.string().optional().meta({
      description: "Of an exchange of an identity token: the error's name in RFC 6749 and RFC 8693.",
    }),
    error_description: z.string().optional().meta({
      description: "Of an exchange of an identity token: `msg` in the characters that RFC 6749 allows.",
    }),
  }),
};
