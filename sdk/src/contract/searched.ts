import type { z } from "zod";
import type { Definition } from "./core/definition";
import { bare, elementOf, fieldsOf, marksOf } from "./core/marks";
import { isObject, own } from "./core/narrow";
import { oncePer } from "./core/once";
import { formatPath } from "./core/spelling";

/** A text by which people find an object. */
export interface SearchedText {
  /** The path of its field in answers, for example `oidc.issuer`. */
  readonly field: string;
  readonly text: string;
}

/** In characters. A longer text is found only by its beginning. */
const MAX_TEXT_LENGTH = 4_096;

/** An OpenSSH key: its type and its comment are for people. */
const SSH_KEY = /^(\S+) AAAA[A-Za-z0-9+/]+=*/;

type Add = (path: readonly PropertyKey[], text: string) => void;
type Reader = (value: unknown, path: readonly PropertyKey[], add: Add) => void;

/**
 * The texts by which an object is found, in the order of its fields: all of its own texts but secrets, ids of
 * other objects, times, and fields that are marked as `unsearched`. Of a map, each entry is `key=value`. A
 * module that is set is found by its name too, as `module oidc`.
 *
 * @param document an object in the form of answers; its secrets may be sealed or left out
 */
export function searchedTexts(
  definition: Definition,
  document: Readonly<Record<string, unknown>>,
): SearchedText[] {
  const found: SearchedText[] = [];
  const add: Add = (path, text) => {
    const cut = text.replace(SSH_KEY, "$1").slice(0, MAX_TEXT_LENGTH);
    if (cut !== "") found.push({ field: formatPath(path), text: cut });
  };
  for (const [name, read] of readersOf(definition)) read(own(document, name), [name], add);
  return found;
}

const readersOf = oncePer((definition: Definition) =>
  readable(Object.entries({ ...definition.fields, ...definition.computed })),
);

const readable = (fields: readonly (readonly [string, z.ZodType])[]): [string, Reader][] =>
  fields.flatMap(([name, schema]): [string, Reader][] => {
    const read = readerOf(schema);
    return read ? [[name, read]] : [];
  });

/** Reads the texts of a value; undefined if its shape has none. */
const readerOf: (schema: z.ZodType) => Reader | undefined = oncePer((schema: z.ZodType) => {
  const { secret, unsearched, reference, embeds, onDemand, module } = marksOf(schema);
  if (secret || unsearched || reference || embeds || onDemand) return undefined;
  const fields = fieldsOf(schema);
  const read = fields ? readFields(readable(fields)) : readLeaf(schema);
  if (!module) return read;
  return (value, path, add) => {
    if (isObject(value)) add(path, `module ${String(path.at(-1))}`);
    read?.(value, path, add);
  };
});

const readFields =
  (fields: readonly [string, Reader][]): Reader =>
  (value, path, add) => {
    if (!isObject(value)) return;
    for (const [name, read] of fields) read(own(value, name), [...path, name], add);
  };

function readLeaf(schema: z.ZodType): Reader | undefined {
  const element = elementOf(schema);
  if (element) return readList(readerOf(element));
  const { type } = bare(schema).def;
  if (type === "record") return readEntries;
  return type === "string" && !isTime(schema) ? readText : undefined;
}

const readList = (read: Reader | undefined): Reader | undefined =>
  read &&
  ((value, path, add) => {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) read(item, [...path, index], add);
  });

const readText: Reader = (value, path, add) => {
  if (typeof value === "string") add(path, value);
};

const readEntries: Reader = (value, path, add) => {
  if (!isObject(value)) return;
  for (const [key, item] of Object.entries(value))
    for (const one of Array.isArray(item) ? item : [item])
      if (typeof one === "string") add([...path, key], `${key}=${one}`);
};

const isTime = (schema: z.ZodType): boolean =>
  [schema, bare(schema)].some((one) => one.meta()?.format === "date-time") ||
  ("format" in bare(schema).def && Reflect.get(bare(schema).def, "format") === "datetime");
