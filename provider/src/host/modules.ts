import * as pulumi from "@pulumi/pulumi";
import { typesOf } from "./declared";
import { objectsIn } from "./objects";

/** The kinds of objects with modules; the contract is not loaded here. */
const WITH_MODULES = ["tls_edge", "tcp_edge", "https_edge", "https_edge_route"];
/** The arguments by which a module or a route names its object. */
const OWNERS = ["edgeId", "routeId"];
/** The modules that keep callers out, by the arguments of their objects. */
const GUARDS = new Map([
  ["mutualTls", "mutual_tls"],
  ["ipRestriction", "ip_restriction"],
  ["oidc", "oidc"],
  ["jwtValidation", "jwt_validation"],
  ["userAgentFilter", "user_agent_filter"],
  ["policies", "policies"],
  ["webhookVerification", "webhook_verification"],
]);
const GUARDING = new Set(GUARDS.values());

interface Owner {
  readonly kind: string;
  readonly urn: pulumi.Output<string>;
  readonly modules: string[];
  /** Of an edge: its routes that keep callers out, and their modules: `path_prefix /admin oidc`. */
  readonly guards: Set<string>;
  /** The resources that keep callers out: itself, its modules; of an edge not those of its routes. */
  readonly keepers: pulumi.Resource[];
  /** Its types and name, as in its URN. */
  readonly named: string;
  /** Of an edge, as far as they are known, in lower case. */
  readonly hostports: readonly string[];
  readonly routes: Owner[];
  /** Of a route whose path is known: its edge. */
  readonly edge?: Owner | undefined;
  readonly match?: string | undefined;
  /** `path_prefix /admin` */
  readonly label?: string | undefined;
}

const owners = new WeakMap<object, Owner>();
/** The edges of each run; the Automation API may have several runs at once. */
const ofRuns = new WeakMap<object, Owner[]>();
const edgesOfRun = (): Owner[] => {
  const run = pulumi.runtime.getStackResource();
  const edges = (run && ofRuns.get(run)) ?? [];
  if (run) ofRuns.set(run, edges);
  return edges;
};

/**
 * Remembers an object of the program, so that what is declared later can be told to the provider; or a module
 * that keeps callers out of it.
 */
export function noteOwner(kind: string, name: string, resource: pulumi.Resource, args: object): void {
  const [of = "", module] = kind.split(".");
  if (module !== undefined && GUARDING.has(module)) ownerNamed(args, of)?.keepers.push(resource);
  if (!WITH_MODULES.includes(kind)) return;
  const edge = kind === "https_edge_route" ? ownerNamed(args, "https_edge") : undefined;
  const { matchType, match, hostports } = args as Readonly<Record<string, unknown>>;
  const guards = Object.entries(args).flatMap(([name, value]) =>
    value === undefined ? [] : (GUARDS.get(name) ?? []),
  );
  const owner: Owner = {
    ...{ kind, urn: resource.urn, modules: [], guards: new Set(), routes: [], edge },
    keepers: guards.length > 0 ? [resource] : [],
    named: `${typesOf(resource).join("$")} ${name}`,
    hostports: Array.isArray(hostports)
      ? hostports.flatMap((one) => (typeof one === "string" ? one.toLowerCase() : []))
      : [],
    ...(typeof matchType === "string" &&
      typeof match === "string" && { match, label: `${matchType} ${match}` }),
  };
  owners.set(resource, owner);
  if (edge) edge.routes.push(owner);
  else edgesOfRun().push(owner);
  for (const guard of guards) noteGuard(owner, guard);
}

/** Notes a module that keeps callers out of a route. */
function noteGuard({ label, edge }: Owner, module: string): void {
  if (label !== undefined) edge?.guards.add(label).add(`${label} ${module}`);
}

/**
 * The resources that keep callers out of some addresses of an edge or a route, which it would serve without
 * them: edges with names below its own, routes with paths below its own, the modules of its edge.
 */
export function keepersBefore(resource: object | undefined): pulumi.Resource[] {
  const owner = resource && owners.get(resource);
  if (!owner) return [];
  const { edge, match } = owner;
  if (edge) {
    const below = edge.routes.filter((one) => one !== owner && isPathBelow(one.match, match));
    const own = edge.keepers.filter((one) => owners.get(one) !== edge);
    return [...own, ...below.flatMap(({ keepers }) => keepers)];
  }
  if (!wideEdges().includes(owner)) return [];
  const isBelow = (one: string) =>
    owner.hostports.some((wide) => isWide(wide) && one !== wide && one.endsWith(wide.slice(1)));
  const below = edgesOfRun().filter((one) => one !== owner && one.hostports.some(isBelow));
  return below.flatMap((one) => [one, ...one.routes]).flatMap(({ keepers }) => keepers);
}

/** Edges with wildcards beyond this many, or with more hostports, wait for no other: each edge names them. */
const MAX_WIDE = 50;
const isWide = (hostport: string): boolean => hostport.startsWith("*.");
const wideEdges = (): Owner[] =>
  edgesOfRun()
    .filter(({ hostports }) => hostports.length <= MAX_WIDE && hostports.some(isWide))
    .slice(0, MAX_WIDE);

/** The hostports of the edges that may wait for others, by types and name as in their URNs. */
export const waitingEdges = (): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(wideEdges().map(({ named, hostports }) => [named, hostports]));

const isPathBelow = (path: string | undefined, wide: string | undefined): boolean =>
  path !== undefined && wide !== undefined && path !== wide && path.startsWith(wide);

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
  noteGuard(owner, module);
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
