import { keysOf } from "../../contract/core/narrow";
import { OWN_PATHS } from "../../contract/formats/http";
import type { ModuleName } from "../../contract/registry";
import { ASPECTS } from "../aspects";
import type { Aspect } from "../aspects/aspect";
import { readClientCertificate } from "../aspects/clientCertificate";
import { readTls } from "../aspects/tls";
import { addressOf } from "../judgement/address";
import { holdsForPart } from "../judgement/asking";
import type { Check, Ground, Hostport, Location } from "../judgement/check";
import type { IncomingRequest } from "../judgement/incomingRequest";
import { moduleOf } from "../judgement/reading";
import { refuseKeptSlashes, refuseUnreachable } from "../judgement/rules/paths";
import type { DecisionStep } from "../judgement/types";
import { stepAt, unsure } from "../judgement/verdicts";
import type { ModelObject } from "../model";
import { nameOf } from "../names";
import { textIn } from "../values";
import { type OwnPath, ownPathsOf } from "./ownPaths";
import type { RouteSite } from "./routeSite";

/** The result of the choice of a route by a request's path. */
export type Taken = RouteSite | OwnPath | "nothing" | "unknown";

/** An edge as one of its hostports serves it. Made once, for all requests. */
export class Site {
  readonly step: DecisionStep;
  readonly http: boolean;
  /** The checks before a route is chosen. A TLS edge has no others. */
  readonly checks: readonly Check[];
  readonly #exact = new Map<string, RouteSite>();
  readonly #prefixes = new Map<string, RouteSite>();
  readonly #own = new Map<string, OwnPath>();
  /** The lengths of prefixes, the longest first. */
  readonly #lengths: readonly number[];
  readonly routes: readonly RouteSite[];
  /** Whether a route of it is not wholly known. */
  readonly isUnsure: boolean;
  /** Whether semicolons in a path are refused. */
  readonly refusesSemicolons: boolean;
  /** Whether encoded slashes pass. */
  readonly keepsSlashes: boolean;

  /** @throws Unservable if a gateway could not enforce the edge */
  constructor(
    private readonly ground: Ground,
    readonly edge: ModelObject,
    readonly hostport: Hostport,
  ) {
    const text = textOf(hostport);
    this.step = stepAt(edge, "hostports", `\`${nameOf(edge)}\` serves \`${text}\`.`);
    this.http = edge.kind === "https_edge";
    const location = { ...ground, hostport, http: this.http };
    this.checks = checksAt({ ...location, holder: edge });
    const { routes, isUnsure } = this.http ? routesOf(edge, location) : { routes: [], isUnsure: false };
    this.isUnsure = isUnsure;
    for (const route of routes) {
      const list = route.exact ? this.#exact : this.#prefixes;
      if (!list.has(route.path)) list.set(route.path, route);
    }
    this.routes = routes;
    this.#lengths = [...new Set([...this.#prefixes.keys()].map((path) => path.length))].sort((a, b) => b - a);
    for (const ownPath of ownPathsOf(routes, hostport)) this.#own.set(ownPath.path, ownPath);
    this.refusesSemicolons =
      routes.some(({ path, exact }) => path !== "/" || exact) ||
      routes.some(({ checks }) => checks.some(({ asksPath }) => asksPath));
    this.keepsSlashes = edge.fields.escaped_slashes === "keep";
    if (this.keepsSlashes && this.refusesSemicolons) refuseKeptSlashes();
  }

  /** Equal if the same checks come before anything of a request is read. */
  get termination(): string {
    return JSON.stringify([
      readTls(this.edge).value.from,
      (readClientCertificate(this.ground.model, this.edge).value ?? []).map(({ certificate }) => certificate),
      moduleOf(this.edge, "mutual_tls").state === "on",
    ]);
  }

  get ownPaths(): IterableIterator<OwnPath> {
    return this.#own.values();
  }

  /** The route, or other taker, of a path in normal form. */
  take(path: string, request?: IncomingRequest): Taken {
    if (request?.isPathUnknown) return "unknown";
    if (request?.isPathPartial) return this.#takePart(path);
    const exact = this.#exact.get(path);
    if (exact) return exact;
    if (this.isUnsure) return "unknown";
    if (this.#own.size > 0 && path.startsWith(OWN_PATHS)) return this.#own.get(path) ?? "nothing";
    for (const length of this.#lengths) {
      if (length > path.length) continue;
      const found = this.#prefixes.get(path.slice(0, length));
      if (found) return found;
    }
    return "nothing";
  }

  /** The same for a path with parts that were not recorded. */
  #takePart(path: string): Taken {
    if (this.isUnsure || (this.#own.size > 0 && holdsForPart({ prefix: OWN_PATHS }, path) !== false))
      return "unknown";
    const ordered = [...this.routes].sort(
      (a, b) => Number(b.exact) - Number(a.exact) || b.path.length - a.path.length,
    );
    for (const route of ordered) {
      const taken = holdsForPart(route.exact ? { exact: route.path } : { prefix: route.path }, path);
      if (taken === undefined) return "unknown";
      if (taken) return route;
    }
    return "nothing";
  }
}

export const textOf = ({ host, port }: Hostport): string => `${host}:${port}`;

function routesOf(
  edge: ModelObject,
  location: Omit<Location, "holder">,
): { routes: RouteSite[]; isUnsure: boolean } {
  const { model } = location;
  const things = model.belongingTo(edge).filter(({ kind }) => kind === "https_edge_route");
  const routes = things.flatMap((thing): RouteSite[] => {
    const path = textIn(thing.fields.match);
    const type = textIn(thing.fields.match_type);
    if (path === undefined || type === undefined) return [];
    refuseUnreachable(path);
    const exact = type === "exact_path";
    const sentence = `The route \`${exact ? "= " : ""}${path}\` takes the path.`;
    const at = { ...location, holder: thing };
    const admission = checksAt(at, ADMISSION);
    return [
      {
        thing,
        address: addressOf(textOf(location.hostport), { match: path, match_type: type }),
        exact,
        path,
        step: stepAt(thing, "match", sentence),
        admission,
        checks: [...admission, ...checksAt(at, AFTER_ADMISSION)],
      },
    ];
  });
  const isUnsure =
    routes.length < things.length || model.ofUnknownOwner.some(({ kind }) => kind === "https_edge_route");
  return { routes, isUnsure };
}

const MODULES = keysOf(ASPECTS);
const ADMISSION: readonly ModuleName[] = ["ip_restriction", "user_agent_filter"];
const AFTER_ADMISSION = MODULES.filter((name) => !ADMISSION.includes(name));

/** The checks of an edge or a route, in the order in which the gateway makes them. */
const checksAt = (location: Location, modules: readonly ModuleName[] = MODULES): Check[] =>
  modules.flatMap((name) => {
    const aspect: Pick<Aspect, "prepare"> & { readonly of: object } = ASPECTS[name];
    if (!Object.hasOwn(aspect.of, location.holder.kind)) return [];
    const check = aspect.prepare(location);
    return check ? [check.unknown === undefined ? check : unknownCheck(check, location.holder, name)] : [];
  });

/** The check for a module that is not known: it leaves requests undecided. */
function unknownCheck(check: Check, holder: ModelObject, name: ModuleName): Check {
  const verdict = unsure(holder, name, check.unknown ?? "");
  return { ...check, look: () => verdict };
}
