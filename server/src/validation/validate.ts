import {
  bare,
  type Definition,
  definitionOf,
  type Kind,
  type Validated,
  validateCreate,
  validateModule,
  validateUpdate,
} from "@tunnelplane/sdk/contract";
import type { z } from "zod";

/** What a body is for: a creation or an update of an object, one of its modules, or an entry of one of its lists. */
export interface Purpose {
  readonly kind: Kind;
  readonly what: "create" | "update" | "module" | "entry";
  /** The module or the list. */
  readonly field?: string;
}

/** What was found out about a body. */
export interface Findings extends Validated {
  /** What answers say that follows from what was sent; of a creation without problems. */
  readonly derived?: Record<string, unknown>;
}

/** Checks a body against the contract. */
export function validate({ kind, what, field = "" }: Purpose, body: unknown): Findings {
  const definition = definitionOf(kind);
  switch (what) {
    case "create":
      return withDerived(definition, validateCreate(definition, body));
    case "update":
      return validateUpdate(definition, body);
    case "module":
      return validateModule(schemaOf(definition, field), body);
    case "entry":
      return validateModule((bare(schemaOf(definition, field)) as z.ZodArray).element as z.ZodType, body);
  }
}

const withDerived = (definition: Definition, validated: Validated): Findings =>
  validated.problems.length > 0 ? validated : { ...validated, derived: definition.derive(validated.value) };

const schemaOf = (definition: Definition, field: string): z.ZodType => definition.fields[field] as z.ZodType;
