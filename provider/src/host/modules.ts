import type * as pulumi from "@pulumi/pulumi";
import { objectsIn } from "./objects";

/** The kinds of objects with modules; the contract is not loaded here. */
const WITH_MODULES = ["tls_edge", "tcp_edge", "https_edge", "https_edge_route"];
/** The arguments by which a module or a route names its object. */
const OWNERS = ["edgeId", "routeId"];
/** The modules of a route that keep callers out. */
const GUARDS = new Map([
  ["ipRestriction", "ip_restriction"],
  ["oidc", "oidc"],
  ["jwtValidation", "jwt_validation"],
  ["userAgentFilter", "user_agent_filter"],
  ["policies", "policies"],
  ["webhookVerification", "webhook_verification"],
]);

interface Owner {
  readonly kind: string;
  readonly urn: pulumi.Output<string>;
  readonly modules: string[];
  /** Of an edge: its routes that keep callers out, and their modules: `path_prefix /admin oidc`. */
  readonly guards: Set<string>;
  /** Of a route whose path is known: its edge. */
  readonly edge?: Owner | undefined;
  /** `path_prefix /admin` */
  readonly label?: string | undefined;
}

const owners = new WeakMap<object, Owner>();

/**
 * Remembers an object of the program, so that modules that are declared later can be told to the provider.
 */
export function noteOwner(kind: string, resource: pulumi.Resource, args: object): void {
  if (!WITH_MODULES.includes(kind)) return;
  const edge = kind === "https_edge_route" ? ownerNamed(args, "https_edge") : undefined;
  const { matchType, match } = args as { readonly matchType?: unknown; readonly match?: unknown };
  const isKnown = typeof matchType === "string" && typeof match === "string";
  const label = isKnown ? `${matchType} ${match}` : undefined;
  owners.set(resource, { kind, urn: resource.urn, modules: [], guards: new Set(), edge, label });
  if (label === undefined) return;
  for (const [name, value] of Object.entries(args)) {
    const module = GUARDS.get(name);
    if (module !== undefined && value !== undefined) edge?.guards.add(label).add(`${label} ${module}`);
  }
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
  const owner = module === undefined ? undefined : ownerNamed(args, of);
  if (owner === undefined || module === undefined) return undefined;
  owner.modules.push(module);
  if (owner.label !== undefined) owner.edge?.guards.add(owner.label).add(`${owner.label} ${module}`);
  return owner.urn;
}

/** The resource of a kind that the arguments of another one name. */
function ownerNamed(args: object, kind: string | undefined): Owner | undefined {
  for (const [name, value] of Object.entries(args)) {
    if (!OWNERS.includes(name)) continue;
    const [owner, ...others] = objectsIn(value)
      .flatMap((one) => owners.get(one) ?? [])
      .filter((one) => one.kind === kind);
    if (owner && others.length === 0) return owner;
  }
  return undefined;
}

/** The modules that other resources of the program declare for a resource, by their names in the contract. */
export function modulesOfOwner(resource: object | undefined): readonly string[] | undefined {
  const { modules = [] } = (resource && owners.get(resource)) || {};
  return modules.length > 0 ? modules : undefined;
}

/** The routes of an edge that keep callers out, and their modules. */
export function guardsOf(resource: object | undefined): readonly string[] | undefined {
  const { guards = new Set<string>() } = (resource && owners.get(resource)) || {};
  return guards.size > 0 ? [...guards] : undefined;
}
