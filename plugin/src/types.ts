import { COMPONENTS, tokenIn } from "@tunnelplane/pulumi/core";
import { type Operation, Steps } from "@tunnelplane/pulumi/operation";
import {
  camelCase,
  definitionNamed,
  KINDS,
  modulesWithTypes,
  pascalCase,
  registry,
  secretPathsOf,
} from "@tunnelplane/sdk/contract";

/** The engine's name of this package. */
export const PACKAGE = "tunnelplane";

/** The class of whole catalogues, which are no objects of the contract. */
export const CATALOGUE_SET = "CatalogueSet";

/** The engine's name of a type, an enumeration or a function of this package. */
export const tokenOf = (name: string): string => `${PACKAGE}:index:${name}`;

/** All types that programs declare. */
const resourceTypes = (): string[] =>
  registry.flatMap((definition) => [
    definition.type,
    ...modulesWithTypes(definition).map(({ type }) => type),
  ]);

/**
 * The name of a type in the contract: `tls_edge`, or `tls_edge.backend` for a module. Loads no other types:
 * the whole contract takes a fifth of the start.
 */
function kindOf(token: string): string | undefined {
  for (const kind of KINDS) {
    const own = tokenOf(pascalCase(kind));
    if (token === own) return kind;
    if (!token.startsWith(own)) continue;
    const module = modulesWithTypes(definitionNamed(kind)).find(({ type }) => tokenOf(type) === token);
    if (module) return `${kind}.${module.name}`;
  }
  return undefined;
}

/** The steps of each type in one operation, made when they are first asked for. */
export class StepsByType {
  readonly #steps = new Map<string, Steps>();

  constructor(private readonly operation: Operation) {}

  /** @throws where this package has no such type */
  of = (urn: string): Steps => this.#ofToken(tokenIn(urn));

  ofType = (type: string): Steps => this.#ofToken(tokenOf(type));

  #ofToken(token: string): Steps {
    const known = this.#steps.get(token);
    if (known) return known;
    const kind = kindOf(token);
    if (kind === undefined)
      throw new Error(
        `There is no resource type ${token} in this version; there are ${[...resourceTypes(), CATALOGUE_SET, ...COMPONENTS.map(({ type }) => type)].join(", ")}`,
      );
    const steps = new Steps(this.operation, kind);
    this.#steps.set(token, steps);
    return steps;
  }
}

export const stackIn = (urn: string): string => urn.split("::")[0]?.split(":").at(-1) ?? "";

/** The paths of a type's secret properties. */
export const secretsOf = ({ lifecycle: { definition } }: Steps): PropertyKey[][] =>
  secretPathsOf(definition).map((path) => path.split(".").map(camelCase));
