import * as pulumi from "@pulumi/pulumi";

/** The kinds of objects with modules; the contract is not loaded here. */
const WITH_MODULES = ["tls_edge", "tcp_edge", "https_edge", "https_edge_route"];
/** The arguments by which a module names its object. */
const OWNERS = ["edgeId", "routeId"];

interface Owner {
  readonly kind: string;
  readonly urn: pulumi.Output<string>;
  readonly modules: string[];
}

const owners = new WeakMap<object, Owner>();

/**
 * Remembers an object of the program, so that modules that are declared later can be told to the provider.
 */
export function noteOwner(kind: string, resource: pulumi.Resource): void {
  if (WITH_MODULES.includes(kind)) owners.set(resource, { kind, urn: resource.urn, modules: [] });
}

/** Whether the provider gets to know the modules that the program declares for objects of a kind. */
export const hasModules = (kind: string): boolean => WITH_MODULES.includes(kind);

/**
 * Notes a resource that declares a module of another one. The provider sees the two one after the other, and
 * would take the module away where it leaves the first.
 *
 * @returns the URN of the module's owner, if that is known
 */
export function noteModule(kind: string, args: object): pulumi.Output<string> | undefined {
  const [of, module] = kind.split(".");
  if (module === undefined) return undefined;
  for (const [name, value] of Object.entries(args)) {
    if (!OWNERS.includes(name) || !pulumi.Output.isInstance(value)) continue;
    const { resources } = value as unknown as { readonly resources?: () => ReadonlySet<object> };
    const found = [...(resources?.() ?? [])].flatMap((one) => owners.get(one) ?? []);
    const [owner, ...others] = found.filter((one) => one.kind === of);
    if (!owner || others.length > 0) continue;
    owner.modules.push(module);
    return owner.urn;
  }
  return undefined;
}

/** The modules that other resources of the program declare for a resource, by their names in the contract. */
export function modulesOfOwner(resource: object | undefined): readonly string[] | undefined {
  const { modules = [] } = (resource && owners.get(resource)) || {};
  return modules.length > 0 ? modules : undefined;
}
