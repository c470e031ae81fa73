import {
  type Definition,
  definitionOf,
  elementOf,
  fieldOf,
  type Kind,
  type Validated,
  validateCreate,
  validateModule,
  validateUpdate,
} from "@tunnelplane/sdk/contract";

/** The purpose of a body: a creation, an update, a module, or an entry of a list. */
export interface Purpose {
  readonly kind: Kind;
  readonly what: "create" | "update" | "module" | "entry";
  /** The module or the list. */
  readonly field?: string;
}

/** The result of checking a body. */
export interface Findings extends Validated {
  /** Computed fields that follow from the body; only for a creation without problems. */
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
      return validateModule(fieldOf(definition, field), body);
    case "entry":
      return validateModule(elementOf(fieldOf(definition, field)) ?? fieldOf(definition, field), body);
  }
}

const withDerived = (definition: Definition, validated: Validated): Findings =>
  validated.problems.length > 0 ? validated : { ...validated, derived: definition.derive(validated.value) };
