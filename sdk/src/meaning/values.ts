import { createHash } from "node:crypto";
import { own } from "../contract/core/narrow";
import type { FieldName, Fields } from "./fieldNames";
import { UNKNOWN } from "./world";

/** A hash of 64 bits, enough to make collisions by chance very unlikely. */
export const shortHash = (text: string): string =>
  createHash("sha256").update(text).digest("hex").slice(0, 16);

export type { Fields } from "./fieldNames";

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether anything in a value is not known yet. */
export function holdsUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  if (Array.isArray(value)) return value.some(holdsUnknown);
  return isObject(value) && (UNKNOWN in value || Object.values(value).some(holdsUnknown));
}

/** A text that is equal for equal values. Names are sorted; lists keep their order. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const names = Object.keys(value).filter((name) => own(value, name) !== undefined);
  return `{${names
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(own(value, name))}`)
    .join(",")}}`;
}

/** Sorts by code units, which gives the same order on every machine. */
export const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The known texts of a list, sorted and without duplicates. */
export const textsIn = (value: unknown): string[] =>
  Array.isArray(value)
    ? [...new Set(value.filter((item): item is string => typeof item === "string" && item !== UNKNOWN))].sort(
        inOrder,
      )
    : [];

export const textIn = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" && value !== UNKNOWN ? value : undefined;

/** Reads a field whose name is only known at run time. */
export const fieldNamed = (fields: Fields, name: string): unknown => Reflect.get(fields, name);

/**
 * The ids in a field in its sent form (`backend_id`) or answered form (`backend`), in their order; for a map,
 * its keys.
 */
export function idsIn(
  fields: Fields,
  sent: FieldName,
  answered: FieldName,
): { readonly ids: string[]; readonly unknown: boolean } {
  const value = fields[sent] ?? fields[answered];
  const all = Array.isArray(value) ? value : value == null ? [] : [value];
  const ids = all.map((item) => (isObject(item) ? item.id : item));
  return { ids: ids.flatMap((id) => textIn(id) ?? []), unknown: holdsUnknown(value) };
}
