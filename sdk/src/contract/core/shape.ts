import { z } from "zod";
import type { Definition } from "./definition";
import { bare, defaultOf, elementOf, isOptional, mark, marksOf, shapeOf } from "./marks";
import { own } from "./narrow";
import { oncePer } from "./once";

/** The schema of a creation's body. Derived once for each definition. */
export const createSchema = oncePer((definition: Definition) =>
  mark(z.strictObject({ ...definition.fields }), {
    rules: [...definition.rules, ...definition.creationRules],
    warnings: definition.warnings,
    fill: definition.fill,
  }),
);

/**
 * The schema of an update's body: every field that is not immutable, all of them optional and without
 * defaults.
 */
export const updateSchema = oncePer((definition: Definition) =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(definition.fields)
        .filter(([, schema]) => !marksOf(schema).immutable)
        .map(([name, schema]) => [name, withoutDefault(schema).optional()]),
    ),
  ),
);

/**
 * The schema of an answer: references instead of ids where the contract says so; modules may be null; no
 * field is left out.
 */
export const answerSchema = oncePer((definition: Definition) =>
  named(definition.type, {
    id: z.string().meta({
      description: `Identifier, \`${definition.idPrefix}_\` and 27 characters that sort by time.`,
      pattern: idPattern([definition.idPrefix]),
    }),
    uri: z.url().meta({ description: "Address of this object." }),
    created_at: z.iso.datetime().meta({ description: "When it was created (RFC 3339)." }),
    ...answeredFields(definition.fields),
    ...definition.computed,
  }),
);

/** The same with the object's name, which only reads with `names=true` answer; embedded objects too. */
export const namedAnswerSchema = oncePer((definition: Definition) =>
  withResourceName(answerSchema(definition)),
);

/** The field for the name of an object in other answers. */
export const resourceName = (when = "Left out where it has none.") =>
  z
    .string()
    .optional()
    .meta({ description: `The object's name, as a program or a catalogue gave it. ${when}` });

function withResourceName(answer: z.ZodType): z.ZodObject {
  const { id = z.string(), ...fields } = shapeOf(answer) ?? {};
  const others = Object.entries(fields).map(([field, schema]) => {
    const element = marksOf(schema).embeds && elementOf(schema);
    return [field, element ? z.array(withResourceName(element)).meta({ ...schema.meta() }) : schema];
  });
  return named(marksOf(answer).name ?? "", {
    id,
    resource_name: resourceName("Only with `names=true`, and only of objects that have one."),
    ...Object.fromEntries(others),
  });
}

/** The form of ids, for documents: one of these prefixes, "_" and 27 letters and digits. */
export const idPattern = (prefixes: readonly string[]): string =>
  `^${prefixes.length === 1 ? prefixes[0] : `(${prefixes.join("|")})`}_[0-9A-Za-z]{27}$`;

/** A reference in answers: `{ id, uri }`. */
export const refSchema = named("Ref", {
  id: z.string().meta({ description: "Identifier of the object." }),
  uri: z.url().meta({ description: "Address of the object." }),
});

/**
 * A list at the top of an object that holds more in answers than in requests: references in place of ids, or
 * entries with their addresses.
 */
export interface AnsweredList {
  readonly field: string;
  /** The field of answers. */
  readonly answeredAs: string;
  readonly schema: z.ZodType;
  /** Of entries: the field that stands in their addresses. */
  readonly key?: string;
}

/** The lists that hold more in answers. Modules that are resources of their own have none. */
export const answeredListsOf = oncePer((definition: Definition): readonly AnsweredList[] => {
  if (Object.hasOwn(definition.fields, definition.idField)) return [];
  const answer: Readonly<Record<string, z.ZodType>> = answerSchema(definition).shape;
  return Object.entries(definition.fields).flatMap(([field, sent]) => {
    const { reference, entries } = marksOf(sent);
    const answeredAs = entries ? field : elementOf(sent) && reference?.answeredAs;
    const schema = answeredAs && own(answer, answeredAs);
    return schema ? [{ field, answeredAs, schema, ...(entries && { key: entries.key }) }] : [];
  });
});

/** A module in answers. */
export function answeredModule(schema: z.ZodType): z.ZodType {
  return answered(bare(schema));
}

function answeredFields(fields: Readonly<Record<string, z.ZodType>>): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const marks = marksOf(schema);
      const description = schema.meta()?.description ?? bare(schema).meta()?.description;
      const described = (s: z.ZodType) => (description ? s.meta({ description }) : s);
      const isNullable =
        marks.module ||
        marks.writeOnly ||
        (schema instanceof z.ZodOptional && !marks.serverDefault) ||
        holdsNull(schema);
      const orNull = (s: z.ZodType) => described(isNullable ? s.nullable() : s);
      if (marks.reference?.answeredAs) {
        const isList = bare(schema) instanceof z.ZodArray;
        return [marks.reference.answeredAs, isList ? described(z.array(refSchema)) : orNull(refSchema)];
      }
      if (marks.entries) return [name, described(z.array(answeredEntry(schema)))];
      return [name, orNull(answered(bare(schema)))];
    }),
  );
}

/** In answers, an entry of a list whose entries have addresses of their own. */
export function answeredEntry(list: z.ZodType): z.ZodObject {
  const entry = elementOf(list) ?? list;
  return answeredLike(entry, {
    ...shapeOf(entry),
    uri: z.url().meta({ description: "Address of the entry." }),
  });
}

/** An object of answers that has the name of the one that is sent. */
function answeredLike(sent: z.ZodType, fields: Readonly<Record<string, z.ZodType>>): z.ZodObject {
  const { name, variants } = marksOf(sent);
  const object = name === undefined ? z.object(fields) : named(name, fields);
  return variants ? mark(object, { variants }) : object;
}

/** An object of answers, with the name of its shape. */
function named<F extends Readonly<Record<string, z.ZodType>>>(
  name: string,
  fields: F,
): z.ZodObject<{ -readonly [Name in keyof F]: F[Name] }> {
  return mark(z.object({ ...fields }), { name });
}

function answered(schema: z.ZodType): z.ZodType {
  const element = elementOf(schema);
  if (element) return z.array(answered(element));
  const shape = shapeOf(schema);
  return shape ? answeredLike(schema, answeredFields(shape)) : schema;
}

/** Whether an object always has a value there: it must be sent, or has a default. */
export const isAlwaysSet = (schema: z.ZodType): boolean =>
  !isOptional(schema) ||
  defaultOf(schema) !== undefined ||
  (marksOf(schema).serverDefault === true && !holdsNull(schema));

function holdsNull(schema: z.ZodType): boolean {
  return (
    schema instanceof z.ZodNullable ||
    (isOptional(schema) && holdsNull((schema as z.ZodOptional<z.ZodType>).unwrap()))
  );
}

function withoutDefault(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodDefault ? (schema.unwrap() as z.ZodType) : schema;
}
