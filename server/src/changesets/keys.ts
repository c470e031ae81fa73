import { bare, createSchema, type Definition, elementOf, fieldsOf, marksOf } from "@tunnelplane/sdk/contract";
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

/** A copy of an object's sent fields in which each reference is replaced. Parts of the wrong shape stay as they are. */
export const mapReferences = (definition: Definition, sent: Document, mapper: ReferenceMapper): Document =>
  mapIn(createSchema(definition), sent, mapper, []) as Document;

function mapIn(schema: z.ZodType, value: unknown, mapper: ReferenceMapper, path: Path): unknown {
  if (value === null || value === undefined) return value;
  if (marksOf(schema).reference) {
    if (Array.isArray(value)) return value.map((item, index) => mapper.value(item, [...path, index], schema));
    if (isObject(value) && bare(schema) instanceof z.ZodRecord)
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [mapper.key(name, [...path, name], schema), item]));
    return mapper.value(value, path, schema);
  }
  const element = elementOf(schema);
  if (element && Array.isArray(value)) return value.map((item, index) => mapIn(element, item, mapper, [...path, index]));
  const fields = fieldsOf(schema);
  if (!fields || !isObject(value)) return value;
  let mapped = value;
  for (const [name, field] of fields) {
    const item = value[name];
    const now = item === undefined ? item : mapIn(field, item, mapper, [...path, name]);
    if (now !== item) mapped = { ...mapped, [name]: now };
  }
  return mapped;
}

/** Puts ids in the place of keys: `{"$key": "tls_edge/app"}`, or `"$key:tls_edge/app"` before the colon of a map. */
export const keysToIds = (
  definition: Definition,
  fields: Document,
  idOf: (name: string, path: Path, schema: z.ZodType) => string,
): Document =>
  mapReferences(definition, fields, {
    value: (item, path, schema) => (isKey(item) ? idOf(item[KEY], path, schema) : item),
    key: (name, path, schema) => (name.startsWith(KEY_OF_MAP) ? idOf(name.slice(KEY_OF_MAP.length), path, schema) : name),
  });

/** The way back, for the ids that have a key. */
export const idsToKeys = (definition: Definition, sent: Document, nameOf: (id: string) => string | undefined): Document =>
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
export const moveIds = (definition: Definition, sent: Document, moved: ReadonlyMap<string, string>): Document =>
  mapReferences(definition, sent, {
    value: (item) => moved.get(item as string) ?? item,
    key: (id) => moved.get(id) ?? id,
  });

const isKey = (value: unknown): value is { $key: string } =>
  isObject(value) && typeof value[KEY] === "string" && Object.keys(value).length === 1;

const isObject = (value: unknown): value is Document => typeof value === "object" && value !== null && !Array.isArray(value);
