import { z } from "zod";
import { bare, elementOf, fieldsOf } from "./marks";
import { isObject, own } from "./narrow";
import { oncePer } from "./once";

/** A value that a field may not have. */
export interface UnknownChoice {
  readonly path: readonly PropertyKey[];
  readonly value: string;
}

/**
 * The first text in an answer that its shape does not list, as a newer server may answer; undefined without
 * any.
 * @param looksAt which fields of the answer are looked at; default: all
 */
export const unknownChoice = (
  schema: z.ZodType,
  answer: unknown,
  looksAt: (value: unknown) => boolean = () => true,
): UnknownChoice | undefined => choicesIn(schema)?.(answer, [], looksAt);

type Search = (
  answer: unknown,
  path: readonly PropertyKey[],
  looksAt?: (value: unknown) => boolean,
) => UnknownChoice | undefined;

/** The search for an unknown choice; undefined for a schema that holds no choices. */
const choicesIn = oncePer((schema: z.ZodType): Search | undefined => {
  const inner = bare(schema);
  if (inner instanceof z.ZodEnum) {
    const known = new Set<unknown>(inner.options);
    return (value, path) => (typeof value === "string" && !known.has(value) ? { path, value } : undefined);
  }
  const element = elementOf(inner);
  const each = element && choicesIn(element);
  if (each)
    return (list, path) => {
      for (const [index, item] of Array.isArray(list) ? list.entries() : []) {
        const found = each(item, [...path, index]);
        if (found) return found;
      }
      return undefined;
    };
  const fields = (fieldsOf(inner) ?? []).flatMap(([name, field]) => {
    const search = choicesIn(field);
    return search ? [{ name, search }] : [];
  });
  if (fields.length === 0) return undefined;
  return (value, path, looksAt) => {
    if (!isObject(value)) return undefined;
    for (const { name, search } of fields) {
      const inside = own(value, name);
      if (inside === undefined || inside === null || looksAt?.(inside) === false) continue;
      const found = search(inside, [...path, name]);
      if (found) return found;
    }
    return undefined;
  };
});
