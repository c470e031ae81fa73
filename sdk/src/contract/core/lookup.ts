import type { z } from "zod";
import { type Definition, fieldOf } from "./definition";
import { elementOf } from "./marks";
import { camelCase } from "./spelling";

/** One argument of a function that finds an object. */
export interface Lookup {
  readonly argument: string;
  readonly field: string;
  readonly schema: z.ZodType;
  readonly isEntry: boolean;
}

/** The arguments that together name one object of a type in place of its id: of a list, one entry. */
export const lookupOf = (definition: Definition): Lookup[] =>
  (definition.findBy ?? []).map((field) => {
    const schema = fieldOf(definition, field);
    const element = elementOf(schema);
    const argument = camelCase(element ? field.replace(/s$/, "") : field);
    return { argument, field, schema: element ?? schema, isEntry: element !== undefined };
  });
