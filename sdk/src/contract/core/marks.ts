import { z } from "zod";
import type { Kind } from "../kinds";
import { oncePer } from "./once";

/** The description of a field, with what its marks add to it. */
export function docOf(schema: z.ZodType): string {
  const text = schema.meta()?.description ?? bare(schema).meta()?.description ?? "";
  const fallback = defaultOf(schema);
  const shown = JSON.stringify(fallback);
  const says =
    fallback === undefined || text.includes("Default") || shown === '""' || shown === "[]" || shown === "{}";
  return [text, says ? "" : `Default \`${shown}\`.`, marksOf(schema).secret ? "Secret." : ""]
    .filter(Boolean)
    .join(" ");
}

/** Facts about a field besides its shape. Server, client, provider and documentation read them. */
export interface Marks {
  /** Set at creation only: PATCH refuses it, and a change in a program replaces the object. */
  readonly immutable?: true;
  /** The version that brought the field. Default: the first. */
  readonly since?: string;
  /** Never shown: redacted in logs, events and errors, encrypted in Pulumi state. */
  readonly secret?: true;
  /** A secret that only gateways read: all other answers have null in its place. */
  readonly writeOnly?: true;
  /** May be taken away again by `DELETE …/{id}/NAME`, `NAME` being its name in answers. */
  readonly removable?: true;
  /** A one-time secret: only the answer to the creation shows it; later answers say null. */
  readonly once?: true;
  /** A text that only the real request makes, such as a signature: dry runs answer null. */
  readonly made?: true;
  /** Computed when a request asks only for this object, and in some lists; all other answers have null. */
  readonly onDemand?: true;
  /** Content without words by which people look for an object, such as a certificate; see `searched.ts`. */
  readonly unsearched?: true;
  /** Changes by itself: programs have no such output, or each refresh would find a change. */
  readonly fleeting?: true;
  /**
   * When what the object allows ends. Null, also in an update, is a value: never. See `ends.ts`.
   */
  readonly ends?: true;
  /** Whether that has passed: answers tell it by the clock, and nothing stores it. */
  readonly byClock?: true;
  /**
   * If a request leaves the field out, the server chooses its value; a program that leaves it out accepts
   * any.
   */
  readonly serverDefault?: true;
  /** An argument of programs only, which the provider handles; the API does not know the field. */
  readonly programOnly?: true;
  /** The value is the id of another object. */
  readonly reference?: Reference;
  /**
   * The names inside this value are the user's own and are never converted between snake_case and camelCase.
   */
  readonly userKeys?: true;
  /** A module: replaced as a whole, removed only through its own endpoint, null when not configured. */
  readonly module?: Module;
  /** A list of the child objects of a kind. The server updates it when one of them changes. */
  readonly embeds?: Embedded;
  /** A list whose entries have addresses below the object; one field of an entry is its name in the path. */
  readonly entries?: { readonly key: string };
  /** What 0 means where it is not an amount, for words about values: `no limit`. */
  readonly zero?: string;
  /** Whether 0 is a value, which the schema judges, and does not mean "left out". */
  readonly takesZero?: true;
  /** Whether the order of a list's entries has an effect. */
  readonly ordered?: true;
  /** Rules across the fields of an object schema. */
  readonly rules?: readonly Rule[];
  /** Rules across the fields of an object schema that only warn when broken. */
  readonly warnings?: readonly Rule[];
  /**
   * The name of an object's shape, which stands in several places, in the OpenAPI document; others are named
   * after their place.
   */
  readonly name?: string;
  /** The shapes of a field by the value of another: `config` by `type`. */
  readonly variants?: Variants;
  /**
   * The form in which a text is checked, kept and answered, where the same may be written in several ways.
   * Other texts stay.
   */
  readonly normal?: (text: string) => string;
  /** The fields of an object schema that has exactly one of them set; the others are left out or null. */
  readonly alternatives?: readonly string[];
  /** Defaults that depend on other fields of an object schema; applied after the plain ones. */
  readonly fill?: (value: Record<string, unknown>) => Record<string, unknown>;
}

export interface Reference {
  /** The kinds of object that the id may name. */
  readonly to: readonly ReferenceTarget[];
  /** The field of answers that holds `{ id, uri }` in place of the id; absent if answers repeat the id. */
  readonly answeredAs?: string;
  /** Whether deleting the referenced object deletes this one too. If not, that deletion is refused. */
  readonly cascade?: true;
  /**
   * Whether it has something done with a private key of the referenced object: a shared project lends none.
   */
  readonly usesPrivateKey?: true;
}

/** Child objects that answers show inside their parent. */
export interface Embedded {
  readonly kind: Kind;
  /** The limit on their total size in bytes, because every answer about the parent carries all of them. */
  readonly bytes: number;
}

/** A kind of object; "backend" for any kind of backend; "user" for users, which are no resources. */
export type ReferenceTarget = Kind | "backend" | "user";

export interface Variants {
  /** The field that decides. */
  readonly by: string;
  /** The field whose shape depends on it. */
  readonly field: string;
  /** The shapes, by the deciding value. */
  readonly shapes: Readonly<Record<string, z.ZodObject>>;
}

export interface Module {
  /** The name of its shape; see {@link Marks.name}. */
  readonly name: string;
  /** One line for the documentation. */
  readonly doc: string;
}

/** One thing wrong with a value. */
export interface Problem {
  readonly path: readonly PropertyKey[];
  /**
   * What is wrong, what was expected and what to do. Field names are in backticks, so that programs can
   * convert them to camelCase.
   */
  readonly message: string;
  readonly error: "invalid_field" | "unknown_field" | "immutable_field";
}

/**
 * A rule across fields. Fields whose value is not known yet are absent from the value that it gets, so it
 * must report present fields only.
 */
export type Rule<V = Record<string, unknown>> = Bivariant<V>["rule"];

/**
 * TypeScript compares parameters of methods bivariantly, so a rule for one type fits into a list of all
 * rules.
 */
interface Bivariant<V> {
  rule(value: V): Iterable<{ path: PropertyKey[]; message: string }>;
}

// Typed as objects, because zod's types do not bear schemas within marks.
const registry = z.registry<object>();
const ownMarks = (schema: z.ZodType) => registry.get(schema);

/** Adds marks to a schema and returns it. */
export function mark<S extends z.ZodType>(schema: S, marks: Marks): S {
  known.delete(schema);
  registry.add(schema, { ...ownMarks(schema), ...marks });
  return schema;
}

// Cached: looking marks up for every field of every request took a third of an update's processor time
// (measured 2026-11-21).
const known = new WeakMap<z.ZodType, Marks>();

/** The marks of a schema, also of one wrapped in optional(), nullable() and default(). */
export function marksOf(schema: z.ZodType): Marks {
  const found = known.get(schema);
  if (found) return found;
  const own = ownMarks(schema);
  const inner = innerOf(schema);
  const marks = inner ? { ...marksOf(inner), ...own } : (own ?? {});
  known.set(schema, marks);
  return marks;
}

function innerOf(schema: z.ZodType): z.ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return schema.unwrap() as z.ZodType; // zod declares its core's type here; all our schemas are ZodTypes
  }
  return undefined;
}

/** Whether programs have a computed field as an output. */
export const isOutput = (schema: z.ZodType): boolean => {
  const { embeds, fleeting } = marksOf(schema);
  return !embeds && !fleeting;
};

/** The schema without optional(), nullable() and default() around it. */
export const bare: (schema: z.ZodType) => z.ZodType = oncePer((schema: z.ZodType) => {
  const inner = innerOf(schema);
  return inner ? bare(inner) : schema;
});

/** The schemas of an object's fields by name, also of a wrapped one; undefined if it is not an object. */
export function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  const inner = bare(schema);
  return inner instanceof z.ZodObject ? (inner.shape as Record<string, z.ZodType>) : undefined; // as above
}

/** The schema of a list's entries, also if the list is wrapped; undefined if it is not a list. */
export function elementOf(schema: z.ZodType): z.ZodType | undefined {
  const inner = bare(schema);
  return inner instanceof z.ZodArray ? (inner.element as z.ZodType) : undefined; // as above
}

/** The fields of an object schema, also if it is wrapped; undefined if it is not an object. */
export const fieldsOf = oncePer(
  (schema: z.ZodType): readonly (readonly [name: string, field: z.ZodType])[] | undefined => {
    const shape = shapeOf(schema);
    return shape && Object.entries(shape);
  },
);

/** Whether a value may be left out. */
export const isOptional = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault;

/** The default of a schema, or undefined. */
export const defaultOf = (schema: z.ZodType): unknown =>
  schema instanceof z.ZodDefault ? schema.def.defaultValue : undefined;
