import { z } from "zod";
import { bare, elementOf, fieldsOf } from "./marks";

/** A value that a field may not have. */
export interface UnknownChoice {
  readonly path: readonly PropertyKey[];
  readonly value: string;
}

/**
 * The first text in an answer that its shape does not list, as a newer server may answer; undefined without
 * any.
 */
export function unknownChoice(
  schema: z.ZodType,
  answer: unknown,
  path: readonly PropertyKey[] = [],
): UnknownChoice | undefined {
  const inner = bare(schema);
  if (inner instanceof z.ZodEnum)
    return typeof answer === "string" && !inner.options.includes(answer)
      ? { path, value: answer }
      : undefined;
  if (typeof answer !== "object" || answer === null) return undefined;
  const element = elementOf(inner);
  const parts: (readonly [name: PropertyKey, schema: z.ZodType])[] = element
    ? Object.keys(answer).map((index) => [Number(index), element])
    : [...(fieldsOf(inner) ?? [])];
  const values: Readonly<Record<PropertyKey, unknown>> = { ...answer };
  for (const [name, part] of parts) {
    const found = unknownChoice(part, values[name], [...path, name]);
    if (found) return found;
  }
  return undefined;
}
