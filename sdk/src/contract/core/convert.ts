import { z } from "zod";
import { bare, elementOf, fieldsOf, marksOf, type Reference } from "./marks";
import { own } from "./narrow";
import { oncePer } from "./once";

type Json = Record<string, unknown>;

export interface Addresses {
  /** The address of the object itself. */
  readonly uri: string;
  /** Turns an id into a reference. */
  readonly refer: (id: string) => unknown;
}

/**
 * Turns a sent value into the form of answers: ids that the contract marks as references become `{ id, uri }`
 * under their answered name, and fields that are not set become null.
 */
export function toAnswered(schema: z.ZodType, value: Readonly<Json>, addresses: Addresses): Json;
export function toAnswered(schema: z.ZodType, value: unknown, addresses: Addresses): unknown;
export function toAnswered(schema: z.ZodType, value: unknown, addresses: Addresses): unknown {
  const { refer, uri } = addresses;
  return eachField(schema, value, (name, field, item) => {
    const { reference, entries } = marksOf(field);
    if (entries)
      return [
        name,
        (item as Json[]).map((entry) => ({ ...entry, uri: `${uri}/${name}/${own(entry, entries.key)}` })),
      ];
    if (!reference?.answeredAs) return [name, toAnswered(field, item ?? null, addresses)];
    const answer = Array.isArray(item) ? item.map(refer) : item == null ? null : refer(item as string);
    return [reference.answeredAs, answer];
  });
}

/** Turns an answer back into the value that would have to be sent to get it. Leaves computed fields out. */
export function toSent(schema: z.ZodType, answer: Readonly<Json>): Json;
export function toSent(schema: z.ZodType, answer: unknown): unknown;
export function toSent(schema: z.ZodType, answer: unknown): unknown {
  const idOf = (ref: unknown) => (ref as { id: string }).id;
  return eachField(schema, answer, (name, field, _item, whole) => {
    const { reference } = marksOf(field);
    const item = own(whole, reference?.answeredAs ?? name);
    if (item == null) return undefined;
    if (!reference?.answeredAs) return [name, toSent(field, item)];
    return [name, Array.isArray(item) ? item.map(idOf) : idOf(item)];
  });
}

type Check = (answer: unknown) => boolean;

/** Whether a stored answer lacks a field, at any depth, because the field was added to its shape later. */
export const lacksFields = (schema: z.ZodType, answer: unknown): boolean =>
  checkOf(schema)?.(answer) ?? false;

/** A check for missing fields in answers of a shape; undefined if the shape has no fields. */
const checkOf: (schema: z.ZodType) => Check | undefined = oncePer((schema: z.ZodType) => {
  const inner = bare(schema);
  const element = inner instanceof z.ZodRecord ? inner.valueType : elementOf(inner);
  if (element) {
    const check = checkOf(element as z.ZodType); // zod types the values of maps by its core
    return check && ((answer) => isObject(answer) && Object.values(answer).some(check));
  }
  const fields = fieldsOf(schema)?.map(([name, field]) => {
    const { reference } = marksOf(field);
    return { name: reference?.answeredAs ?? name, check: reference ? undefined : checkOf(field) };
  });
  const lacks = (answer: Json) =>
    fields?.some(({ name, check }) => own(answer, name) === undefined || check?.(own(answer, name)));
  return fields && ((answer) => isObject(answer) && lacks(answer) === true);
});

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null;

export interface FoundReference {
  readonly path: PropertyKey[];
  readonly id: string;
  readonly reference: Reference;
  /** Whether the id is a key of a map and not the value at the path. */
  readonly isKey?: true;
}

/** Every reference in a sent value, with its path. Skips parts of the wrong shape. */
export function referencesIn(schema: z.ZodType, value: unknown, path: PropertyKey[] = []): FoundReference[] {
  if (value == null) return [];
  const { reference } = marksOf(schema);
  if (reference) {
    if (Array.isArray(value))
      return value.map((id, index) => ({ path: [...path, index], id: id as string, reference }));
    // The keys of the map are the references.
    if (typeof value === "object")
      return Object.keys(value).map((id) => ({ path: [...path, id], id, reference, isKey: true }));
    return [{ path, id: value as string, reference }];
  }
  if (fieldsOf(schema)) {
    return isObject(value)
      ? referringFields(schema).flatMap(([name, field]) =>
          referencesIn(field, own(value, name), [...path, name]),
        )
      : [];
  }
  const element = elementOf(schema);
  if (element && Array.isArray(value))
    return value.flatMap((item, index) => referencesIn(element, item, [...path, index]));
  return [];
}

const refers = (schema: z.ZodType): boolean => {
  if (marksOf(schema).reference) return true;
  const element = elementOf(schema);
  return element ? refers(element) : referringFields(schema).length > 0;
};

/** The fields of an object schema that may hold references. */
const referringFields: (schema: z.ZodType) => readonly (readonly [name: string, field: z.ZodType])[] =
  oncePer((schema: z.ZodType) => (fieldsOf(schema) ?? []).filter(([, field]) => refers(field)));

type FieldMapper = (
  name: string,
  field: z.ZodType,
  item: unknown,
  whole: Json,
) => [string, unknown] | undefined;

/** Maps the fields of an object, or of each object in a list. Returns any other value as it is. */
function eachField(schema: z.ZodType, value: unknown, map: FieldMapper): unknown {
  const element = elementOf(schema);
  if (element && Array.isArray(value)) return value.map((item) => eachField(element, item, map));
  const fields = fieldsOf(schema);
  if (!fields || !isObject(value)) return value;
  const mapped: Json = {};
  for (const [name, field] of fields) {
    const entry = map(name, field, own(value, name), value);
    if (entry) mapped[entry[0]] = entry[1];
  }
  return mapped;
}
