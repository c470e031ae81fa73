import {
  bare,
  createSchema,
  type Definition,
  elementOf,
  fieldsOf,
  isObject,
  marksOf,
  own,
} from "@tunnelplane/sdk/contract";
import { z } from "zod";
import type { Document } from "../documents";

const KEY = "$key";
const KEY_OF_MAP = "$key:";

type Path = readonly PropertyKey[];

/** Functions that replace a reference: as a value, and as the key of a map. */
export interface ReferenceMapper {
  value(item: unknown, path: Path, schema: z.ZodType): unknown;
  key(name: string, path: Path, schema: z.ZodType): string;
}

/**
 * A copy of an object's sent fields in which each reference is replaced. Parts of the wrong shape stay as
 * they are.
 */
export const mapReferences = (definition: Definition, sent: Document, mapper: ReferenceMapper): Document =>
  mapIn(createSchema(definition), sent, mapper, []) as Document;

function mapIn(schema: z.ZodType, value: unknown, mapper: ReferenceMapper, path: Path): unknown {
  if (value === null || value === undefined) return value;
  if (marksOf(schema).reference) {
    if (Array.isArray(value)) return value.map((item, index) => mapper.value(item, [...path, index], schema));
    if (isObject(value) && bare(schema) instanceof z.ZodRecord)
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [mapper.key(name, [...path, name], schema), item]),
      );
    return mapper.value(value, path, schema);
  }
  const element = elementOf(schema);
  if (element && Array.isArray(value))
    return value.map((item, index) => mapIn(element, item, mapper, [...path, index]));
  const fields = fieldsOf(schema);
  if (!fields || !isObject(value)) return value;
  let mapped = value;
  for (const [name, field] of fields) {
    const item = own(value, name);
    const now = item === undefined ? item : mapIn(field, item, mapper, [...path, name]);
    if (now !== item) mapped = { ...mapped, [name]: now };
  }
  return mapped;
}

/** A reference by key, as a request has it. */
export interface KeyReference {
  /** `<kind>/<key>`; undefined if it is none. */
  readonly target: string | undefined;
  readonly path: Path;
  readonly schema: z.ZodType;
}

/**
 * Puts ids in the place of keys: `{"$key": "tls_edge/app"}`, or `"$key:tls_edge/app"` before the colon of a
 * map.
 */
export const keysToIds = (
  definition: Definition,
  fields: Document,
  idOf: (reference: KeyReference) => string,
): Document =>
  mapReferences(definition, fields, {
    value: (item, path, schema) =>
      isObject(item) && KEY in item ? idOf({ target: targetIn(item), path, schema }) : item,
    key: (name, path, schema) =>
      name.startsWith(KEY_OF_MAP)
        ? idOf({ target: targetOf(name.slice(KEY_OF_MAP.length)), path, schema })
        : name,
  });

/** How a request writes a reference to an object, as a value and as the key of a map. */
export const writtenAs = (target: string): { value: string; key: string } => ({
  value: `{"${KEY}": ${JSON.stringify(target)}}`,
  key: KEY_OF_MAP + target,
});

/** The message for a reference that has no target. */
export const NO_KEY = `must name an object of the set: {"${KEY}": "<kind>/<key>"} as a value, "${KEY_OF_MAP}<kind>/<key>" as the key of a map`;

const targetIn = (item: Document): string | undefined =>
  Object.keys(item).length === 1 ? targetOf(item[KEY]) : undefined;
const targetOf = (name: unknown): string | undefined =>
  typeof name === "string" && /^[a-z_]+\/./.test(name) ? name : undefined;

/** The reverse, for the ids that have a key. */
export const idsToKeys = (
  definition: Definition,
  sent: Document,
  nameOf: (id: string) => string | undefined,
): Document =>
  mapReferences(definition, sent, {
    value: (item) => {
      const name = typeof item === "string" ? nameOf(item) : undefined;
      return name === undefined ? item : { [KEY]: name };
    },
    key: (id) => {
      const name = nameOf(id);
      return name === undefined ? id : KEY_OF_MAP + name;
    },
  });

/** Puts new ids in the place of old ones. */
export const moveIds = (
  definition: Definition,
  sent: Document,
  moved: ReadonlyMap<string, string>,
): Document =>
  mapReferences(definition, sent, {
    value: (item) => (typeof item === "string" ? (moved.get(item) ?? item) : item),
    key: (id) => moved.get(id) ?? id,
  });
