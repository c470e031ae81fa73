import { OWN_PATHS } from "../../contract/formats/http";
import { addressOf } from "../judgement/address";
import { Credentials } from "../judgement/backends/binding";
import { namesBelow, onlyName, pathsOf, type RouteMatch } from "../languages";
import type { Model, ModelObject } from "../model";
import { inOrder, textIn, textsIn } from "../values";
import type { Texts } from "./fragments";

/**
 * Requests whose names one edge serves and whose paths one route takes, in each of two worlds. So competition
 * of hostports and of routes matters only for the choice of areas.
 */
export interface Area {
  /** `app.example.com:443/admin`, as in rows of exposure. */
  readonly address: string;
  /** All of the area's paths are within it. */
  readonly match: RouteMatch;
  readonly texts: Texts;
  /** The objects that serve it before, and after. */
  readonly before: Serving;
  readonly after: Serving;
}

/** Edges that claim a name, and those of their routes that would take a path. */
export interface Serving {
  /** The hostport, with the route; null if nothing takes the requests. */
  readonly address: string | null;
  readonly edges: readonly ModelObject[];
  readonly routes: readonly ModelObject[];
}

/** The edges of a world by their hostports, in lower case. More than one may claim one. */
export class Claims {
  readonly #edges = new Map<string, ModelObject[]>();
  #credentials: Credentials | undefined;

  constructor(
    private readonly model: Model,
    private readonly ports: readonly number[] | undefined,
  ) {
    for (const edge of model.edges)
      for (const hostport of textsIn(edge.fields.hostports)) {
        const key = hostport.toLowerCase();
        this.#edges.set(key, [...(this.#edges.get(key) ?? []), edge]);
      }
  }

  get hostports(): IterableIterator<string> {
    return this.#edges.keys();
  }

  has(hostport: string): boolean {
    return this.#edges.has(hostport);
  }

  /** The edges of the hostport itself, or of the wildcard that covers it. */
  at(hostport: string): readonly ModelObject[] {
    return this.#edges.get(hostport) ?? this.#edges.get(wildcardOf(hostport)) ?? [];
  }

  routesOf(edge: ModelObject): readonly ModelObject[] {
    return this.model.belongingTo(edge).filter(({ kind }) => kind === "https_edge_route");
  }

  isListenedFor(hostport: string): boolean {
    // Gateways open the port of a TCP edge as soon as it is declared.
    const isTcp = this.at(hostport).some(({ kind }) => kind === "tcp_edge");
    return isTcp || (this.ports?.includes(Number(hostAndPort(hostport)[1])) ?? true);
  }

  mayBeBound(hostport: string): boolean {
    this.#credentials ??= new Credentials(this.model);
    return this.#credentials.ofHostport(hostport).length > 0;
  }
}

export const wildcardOf = (hostport: string): string => hostport.replace(/^[^.]*/, "*");

export function hostAndPort(hostport: string): [host: string, port: string] {
  const colon = hostport.lastIndexOf(":");
  return [hostport.slice(0, colon), hostport.slice(colon + 1)];
}

/**
 * The areas of a hostport of either world.
 * @param prefixes of paths that are to be areas of their own, too
 */
export function* areasOf(
  hostport: string,
  before: Claims,
  after: Claims,
  prefixes: readonly string[] = [],
): Generator<Area> {
  const edges = { before: before.at(hostport), after: after.at(hostport) };
  const matches = new Map<string, RouteMatch>();
  const add = (path: string, exact: boolean) => matches.set(`${exact} ${path}`, { path, exact });
  for (const path of prefixes) add(path, false);
  for (const [claims, sideEdges] of [
    [before, edges.before],
    [after, edges.after],
  ] as const)
    for (const edge of sideEdges) {
      if (edge.kind !== "https_edge") add("/", false);
      for (const route of claims.routesOf(edge)) {
        const routeMatch = matchOf(route);
        if (routeMatch) add(routeMatch.path, routeMatch.exact);
        if (route.fields.oidc) add(OWN_PATHS, false);
      }
    }
  const isPlain = [...edges.before, ...edges.after].every(({ kind }) => kind !== "https_edge");
  const texts = { ...namesAt(hostport, before, after), port: hostAndPort(hostport)[1] };
  for (const match of [...matches.values()].sort((a, b) =>
    inOrder(addressText(hostport, a), addressText(hostport, b)),
  )) {
    const closer = [...matches.values()].filter(
      (candidate) => candidate !== match && isWithin(candidate, match),
    );
    yield {
      address: isPlain ? hostport : addressText(hostport, match),
      match,
      texts: { ...texts, path: pathAt(match, closer), paths: pathsOf(match, closer) },
      before: servingAt(hostport, before, match),
      after: servingAt(hostport, after, match),
    };
  }
}

const matchOf = ({ fields }: ModelObject): RouteMatch | undefined => {
  const path = textIn(fields.match);
  return path === undefined ? undefined : { path, exact: fields.match_type === "exact_path" };
};

const addressText = (hostport: string, { path, exact }: RouteMatch): string =>
  addressOf(hostport, { match: path, match_type: exact ? "exact_path" : "path_prefix" });

/** Whether a route takes paths that another one would take without it. */
const isWithin = (inner: RouteMatch, outer: RouteMatch): boolean =>
  !outer.exact && inner.path.startsWith(outer.path);

function servingAt(hostport: string, claims: Claims, match: RouteMatch): Serving {
  const edges = claims.at(hostport);
  const routes = routesAt(edges, claims, match);
  const served = claims.has(hostport) ? hostport : wildcardOf(hostport);
  const isWhole = edges.some(({ kind }) => kind !== "https_edge");
  const taking = routes.flatMap((route) => matchOf(route) ?? [])[0];
  return { address: isWhole ? served : taking ? addressText(served, taking) : null, edges, routes };
}

/** The routes of edges that decide who takes the paths of a place. */
function routesAt(edges: readonly ModelObject[], claims: Claims, match: RouteMatch): ModelObject[] {
  return edges.flatMap((edge) => {
    const routes = claims.routesOf(edge);
    const taking = routes.filter((route) => {
      const own = matchOf(route);
      return own && (own.exact ? match.exact && own.path === match.path : match.path.startsWith(own.path));
    });
    const closest = Math.max(...taking.map(closenessOf));
    // A route that signs users in keeps all others away from the gateway's own paths.
    const guarding = match.path === OWN_PATHS ? routes.filter(({ fields }) => fields.oidc) : [];
    return [...taking.filter((route) => closenessOf(route) === closest), ...guarding];
  });
}

const NEXT = ["", ..."abcdefghijklmnopqrstuvwxyz0123456789"];

/** A path that a route takes, and none that is closer to it. */
function pathAt({ path, exact }: RouteMatch, closer: readonly RouteMatch[]): string | undefined {
  const isTaken = (taken: string) =>
    closer.some((match) => (match.exact ? taken === match.path : taken.startsWith(match.path)));
  return (exact ? [path] : NEXT.map((next) => path + next)).find((candidate) => !isTaken(candidate));
}

const closenessOf = (route: ModelObject): number => {
  const match = matchOf(route);
  return match?.exact ? Number.POSITIVE_INFINITY : (match?.path.length ?? 0);
};

/** The names of a hostport; of a wildcard, those that no exact hostport of either world has. */
function namesAt(hostport: string, before: Claims, after: Claims): Pick<Texts, "name" | "names"> {
  const [host, port] = hostAndPort(hostport);
  if (!host.startsWith("*.")) return { name: host, names: () => onlyName(host) };
  const domain = host.slice(2);
  const isTaken = (name: string) => before.has(`${name}:${port}`) || after.has(`${name}:${port}`);
  let label = "www";
  for (let number = 1; isTaken(`${label}.${domain}`); number++) label = `any-${number}`;
  const exact = () =>
    [...new Set([...before.hostports, ...after.hostports])]
      .filter((candidate) => candidate !== hostport && candidate.endsWith(`.${domain}:${port}`))
      .map((hostname) => hostAndPort(hostname)[0]);
  return { name: `${label}.${domain}`, names: () => namesBelow(domain, exact()) };
}
