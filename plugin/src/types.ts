import { type Operation, Steps } from "@tunnelplane/pulumi/operation";
import { camelCase, modulesWithTypes, registry, secretPathsOf } from "@tunnelplane/sdk/contract";

/** The engine's name of this package. */
export const PACKAGE = "tunnelplane";

/** The class of whole catalogues, which are no objects of the contract. */
export const CATALOGUE_SET = "CatalogueSet";

/** The engine's name of a type, an enumeration or a function of this package. */
export const tokenOf = (name: string): string => `${PACKAGE}:index:${name}`;

/** Everything that programs declare: the objects of each type, and their modules. */
interface ResourceType {
  /** The name of the class. */
  readonly type: string;
  /** Its name in the contract: `tls_edge`, or `tls_edge.backend` for a module. */
  readonly kind: string;
}

const resourceTypes: readonly ResourceType[] = registry.flatMap((definition) => [
  { type: definition.type, kind: definition.kind },
  ...modulesWithTypes(definition).map(({ name, type }) => ({ type, kind: `${definition.kind}.${name}` })),
]);

const kindOf = new Map(resourceTypes.map(({ type, kind }) => [tokenOf(type), kind]));

/** The steps of each type in one operation, made when they are first asked for. */
export class StepsByType {
  readonly #steps = new Map<string, Steps>();

  constructor(private readonly operation: Operation) {}

  /** @throws where this package has no such type */
  of = (urn: string): Steps => this.#ofToken(typeIn(urn));

  ofType = (type: string): Steps => this.#ofToken(tokenOf(type));

  #ofToken(token: string): Steps {
    const known = this.#steps.get(token);
    if (known) return known;
    const kind = kindOf.get(token);
    if (kind === undefined)
      throw new Error(
        `There is no resource type ${token} in this version; there are ${[...resourceTypes.map(({ type }) => type), CATALOGUE_SET].join(", ")}`,
      );
    const steps = new Steps(this.operation, kind);
    this.#steps.set(token, steps);
    return steps;
  }
}

/** A URN names the types of all parents before its own. */
export const typeIn = (urn: string): string => urn.split("::")[2]?.split("$").at(-1) ?? "";

export const stackIn = (urn: string): string => urn.split("::")[0]?.split(":").at(-1) ?? "";

/** The paths of a type's secret properties. */
export const secretsOf = ({ lifecycle: { definition } }: Steps): PropertyKey[][] =>
  secretPathsOf(definition).map((path) => path.split(".").map(camelCase));
