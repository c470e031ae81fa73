import { bare, elementOf, fieldsOf, isObject, isOptional, present } from "@tunnelplane/sdk/contract";
import { z } from "zod";

/** Their names of fields, by ours. */
export type FieldNames = ReadonlyMap<string, string>;

/** A part of an object elsewhere that has no field here. */
export interface Unheld {
  readonly path: string;
  readonly value: unknown;
}

/**
 * Brings a value from elsewhere into the shape of a schema: our names, our spelling of words, and one object
 * where Terraform has a block as a list. Names that users choose, such as labels, stay as they are.
 *
 * @param unheld gets what is set and has no field here
 */
export function fitted(
  schema: z.ZodType | undefined,
  value: unknown,
  names: FieldNames,
  unheld: Unheld[],
  path = "",
): unknown {
  const fields = schema && fieldsOf(schema);
  if (fields) {
    const one = Array.isArray(value) ? value[0] : value;
    if (!isObject(one)) return undefined;
    const known = new Map(fields);
    const ours = new Map(fields.map(([name]) => [names.get(name) ?? name, name]));
    return Object.fromEntries(
      Object.entries(one).flatMap(([theirs, item]) => {
        const name = ours.get(theirs) ?? theirs;
        const at = path === "" ? name : `${path}.${name}`;
        const field = known.get(name);
        if (!field && isSet(item) && !OF_EVERY_OBJECT.has(name)) unheld.push({ path: at, value: item });
        const fit = field && fitted(field, item, names, unheld, at);
        return fit == null || (isEmpty(fit) && isOptional(present(field))) ? [] : [[name, fit]];
      }),
    );
  }
  const element = schema && elementOf(schema);
  if (element && Array.isArray(value))
    return value.map((one) => fitted(element, one, names, unheld, `${path}[]`)).filter((one) => one != null);
  return schema && typeof value === "string" ? spelled(schema, value) : value;
}

/** What answers and states have besides. */
const OF_EVERY_OBJECT = new Set(["id", "uri", "created_at", "updated_at", "region", "resource_name"]);

const isEmpty = (value: unknown): boolean => value === "" || (Array.isArray(value) && value.length === 0);
const isSet = (value: unknown): boolean => value != null && value !== false && !isEmpty(value);

/** `JSON` is `json`. */
function spelled(schema: z.ZodType, value: string): string {
  const inner = bare(schema);
  const words = inner instanceof z.ZodEnum ? inner.options.map(String) : [];
  return words.find((word) => word.toLowerCase() === value.toLowerCase()) ?? value;
}
