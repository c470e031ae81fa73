import {
  camelCase,
  type Definition,
  formatPath,
  modulesOf,
  own,
  pathFieldsOf,
} from "@tunnelplane/sdk/contract";
import { differences, nameIn, type Properties } from "../core";

/** A module as one resource declares it: its object's own, or one for the module. */
interface Declaration {
  readonly urn: string;
  /** By its property in the object's resource; undefined for a resource for the module. */
  readonly property: string | undefined;
  readonly value: Properties;
}

/** The problem where two resources declare one module. */
export interface DeclaredTwice {
  /** If the two differ. */
  readonly refusal?: string;
  readonly warning?: string;
}

/** The modules that the resources of one run declare. */
export class DeclaredModules {
  /** By kind and object, then by the URN of the resource that declares it. */
  readonly #declared = new Map<string, Map<string, Declaration>>();

  constructor(private readonly isUnknown: (value: unknown) => boolean) {}

  /**
   * Notes the modules that a resource declares, and compares them with what others declare for the object.
   *
   * @param kind `tls_edge`, or `tls_edge.mutual_tls` for a module
   * @param objects the names by which the object is known: its id, or the URN of its resource
   */
  note(
    kind: string,
    definition: Definition,
    objects: readonly (string | undefined)[],
    urn: string,
    properties: Properties,
  ): DeclaredTwice {
    const declared = kind.includes(".")
      ? [{ kind, property: undefined, value: ofModule(definition, properties) }]
      : modulesOf(definition).flatMap((name) => {
          const value = own(properties, camelCase(name));
          return value === undefined || value === null
            ? []
            : [{ kind: `${kind}.${name}`, property: camelCase(name), value: value as Properties }];
        });
    const found = declared.flatMap(({ kind, ...rest }) =>
      objects.flatMap((object) => {
        if (object === undefined) return [];
        const key = `${kind} ${object}`;
        const all = this.#declared.get(key) ?? new Map<string, Declaration>();
        this.#declared.set(key, all.set(urn, { urn, ...rest }));
        const other = [...all.values()].find((one) => one.urn !== urn);
        return other ? [this.#compared(kind, { urn, ...rest }, other)] : [];
      }),
    );
    return found.find(({ refusal }) => refusal !== undefined) ?? found[0] ?? {};
  }

  #compared(kind: string, one: Declaration, other: Declaration): DeclaredTwice {
    const module = camelCase(kind.split(".")[1] ?? "");
    const both = `\`${nameIn(one.urn)}\` and \`${nameIn(other.urn)}\` both declare ${module} of the same object`;
    const inline = [one, other].find(({ property }) => property !== undefined);
    const cure = inline
      ? `remove \`${module}\` from \`${nameIn(inline.urn)}\`, or the resource of its own`
      : "remove one of the two";
    const paths = differences(one.value, other.value, [], this.isUnknown)
      .filter(({ actual }) => !this.isUnknown(actual))
      .map(({ path }) => formatPath(path));
    return paths.length > 0
      ? { refusal: `${both}, with different values (${paths.join(", ")}): ${cure}` }
      : {
          warning: `${both}, with equal values: a later change of one of them only would be refused. To end this, ${cure}`,
        };
  }
}

/** The module's own properties, without those that name its object. */
function ofModule(definition: Definition, properties: Properties): Properties {
  const own = [...pathFieldsOf(definition), definition.idField].map(camelCase);
  return Object.fromEntries(Object.entries(properties).filter(([name]) => !own.includes(name)));
}
