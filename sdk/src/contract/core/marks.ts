import { z } from "zod";
import type { Kind } from "../kinds";
import { oncePer } from "./once";

/** Facts about a field beyond its shape. Server, client, provider and documentation read them from here. */
export interface Marks {
  /** Set at creation only: PATCH refuses it, and a change in a program replaces the object. */
  readonly immutable?: true;
  /** Never shown: redacted in logs, events and errors, encrypted in Pulumi state. */
  readonly secret?: true;
  /** A one-time secret: only the answer to the creation shows it; later answers say null. */
  readonly once?: true;
  /** Left out, the server chooses the value; a program that leaves it out accepts what the server chose. */
  readonly serverDefault?: true;
  /** No field of the API but an argument of programs, which the provider carries out by itself. */
  readonly programOnly?: true;
  /** The value is the id of another object. */
  readonly reference?: Reference;
  /** The names inside this value are the user's own: never converted between snake_case and camelCase. */
  readonly userKeys?: true;
  /** A module: replaced as a whole, removed only through its own endpoint, null when not configured. */
  readonly module?: Module;
  /** A list of the objects of this kind that belong to the object; kept up to date when they change. */
  readonly embeds?: Embedded;
  /** A list of objects that each have an address of their own below the object, named by one of their fields. */
  readonly entries?: { readonly key: string };
  /** Rules across the fields of an object schema. */
  readonly rules?: readonly Rule[];
  /** Rules across the fields of an object schema that are followed but deserve a warning when broken. */
  readonly warnings?: readonly Rule[];
  /** Defaults that depend on other fields of an object schema; applied after the plain ones. */
  readonly fill?: (value: Record<string, unknown>) => Record<string, unknown>;
}

export interface Reference {
  /** The kinds of object that the id may name. */
  readonly to: readonly ReferenceTarget[];
  /** The field that answers carry instead, with `{ id, uri }` in place of each id; absent where answers repeat the id. */
  readonly answeredAs?: string;
  /** Whether deleting the object referred to deletes this one too. Otherwise that deletion is refused. */
  readonly cascade?: true;
}

/** The objects that answers show within the one that they belong to. */
export interface Embedded {
  readonly kind: Kind;
  /** How many bytes they may have together; the answer with all of them is made for every look at the object. */
  readonly bytes: number;
}

/** A kind, every kind of backend, or users, which are no resources. */
export type ReferenceTarget = Kind | "backend" | "user";

export interface Module {
  /** One line for the documentation. */
  readonly doc: string;
}

/** One thing wrong with a value. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  /** What is wrong, what was expected and what to do. Field names stand in backticks, so that a caller can print them in its own spelling. */
  readonly message: string;
  readonly error: "invalid_field" | "unknown_field" | "immutable_field";
}

/**
 * A rule across fields. It gets what is known of a value (fields whose value is not known yet are
 * absent), and must complain about what is present only.
 */
export type Rule<V = Record<string, unknown>> = Bivariant<V>["rule"];

/** Parameters of methods are compared both ways, so that a rule of one type stands among the rules of all. */
interface Bivariant<V> {
  rule(value: V): Iterable<{ path: PropertyKey[]; message: string }>;
}

const registry = z.registry<Marks>();

/** Adds marks to a schema and returns it. */
export function mark<S extends z.ZodType>(schema: S, marks: Marks): S {
  known.delete(schema);
  registry.add(schema, { ...registry.get(schema), ...marks });
  return schema;
}

// Every field of every request is asked for its marks (a third of an update's processor time, measured 2026-11-21).
const known = new WeakMap<z.ZodType, Marks>();

/** The marks of a schema, also through optional(), nullable() and default(). */
export function marksOf(schema: z.ZodType): Marks {
  const found = known.get(schema);
  if (found) return found;
  const own = registry.get(schema);
  const inner = innerOf(schema);
  const marks = inner ? { ...marksOf(inner), ...own } : (own ?? {});
  known.set(schema, marks);
  return marks;
}

function innerOf(schema: z.ZodType): z.ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return schema.unwrap() as z.ZodType; // zod types what is inside by its core, whose every schema is a ZodType here
  }
  return undefined;
}

/** The schema without optional(), nullable() and default() around it. */
export const bare: (schema: z.ZodType) => z.ZodType = oncePer((schema: z.ZodType) => {
  const inner = innerOf(schema);
  return inner ? bare(inner) : schema;
});

/** The schemas of an object's fields by name, whatever stands around the object; undefined where it is none. */
export function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  const inner = bare(schema);
  return inner instanceof z.ZodObject ? (inner.shape as Record<string, z.ZodType>) : undefined; // as above
}

/** The schema of a list's entries, whatever stands around the list; undefined where it is none. */
export function elementOf(schema: z.ZodType): z.ZodType | undefined {
  const inner = bare(schema);
  return inner instanceof z.ZodArray ? (inner.element as z.ZodType) : undefined; // as above
}

/** The fields of an object schema, whatever stands around it; undefined where it is no object. */
export const fieldsOf = oncePer((schema: z.ZodType): readonly (readonly [name: string, field: z.ZodType])[] | undefined => {
  const shape = shapeOf(schema);
  return shape && Object.entries(shape);
});

/** Whether a value may be left out. */
export const isOptional = (schema: z.ZodType): boolean => schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;

/** The default of a schema, or undefined. */
export const defaultOf = (schema: z.ZodType): unknown => (schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined);
