import type { z } from "zod";
import { elementOf, fieldsOf, marksOf } from "./core/marks";
import { registry } from "./registry";

let known: ReadonlyMap<string, string> | undefined;

/**
 * What 0 means in a field where it is not an amount, "no limit" for example. The name is enough: no two
 * fields of one name differ in this.
 *
 * @param path of the field; its last name counts
 */
export function zeroWords(path: string): string | undefined {
  known ??= new Map(
    registry.flatMap(({ fields }) =>
      Object.entries(fields).flatMap(([name, schema]) => [...marked(name, schema)]),
    ),
  );
  return known.get(path.slice(path.lastIndexOf(".") + 1));
}

function* marked(name: string, schema: z.ZodType): Generator<readonly [string, string]> {
  const { zero } = marksOf(schema);
  if (zero !== undefined) yield [name, zero];
  const inner = fieldsOf(schema) ?? [];
  for (const [field, of] of inner) yield* marked(field, of);
  const element = elementOf(schema);
  if (element) yield* marked(name, element);
}
