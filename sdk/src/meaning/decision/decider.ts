import { present } from "../../contract/core/narrow";
import { remembering } from "../../contract/core/once";
import { isAddress } from "../../contract/formats/host";
import { OWN_PATHS } from "../../contract/formats/http";
import type { Check } from "../judgement/check";
import { IncomingRequest } from "../judgement/incomingRequest";
import { isMethod } from "../judgement/rules/methods";
import { isHostport, isWildcard, readHostport } from "../judgement/rules/names";
import { holdsSemicolon } from "../judgement/rules/paths";
import {
  type Decider,
  type Decision,
  type DecisionRequest,
  type DecisionStep,
  type Outcome,
  type Predicate,
  type Predicates,
  questionAbout,
} from "../judgement/types";
import { stepAt } from "../judgement/verdicts";
import { Model, type ModelObject } from "../model";
import { nameOf } from "../names";
import { inOrder } from "../values";
import type { World } from "../world";
import type { OwnPath } from "./ownPaths";
import type { RouteSite } from "./routeSite";
import { type Site, textOf } from "./site";
import { Sites } from "./sites";

/** Decides requests: indexes a world once, and prepares each edge when a request first needs it. */
export const decisions = (world: World): Decider => decisionsIn(new Model(world), world.ports);

/** The same for a world that was read already. */
export const decisionsIn = (model: Model, ports: World["ports"]): Decider =>
  new WorldDecider(new Sites(model, ports));

/** Names that were looked up; the one address of a decision is often the one of the next. */
const MAX_ADDRESSES = 20_000;

type Taker = Site | Decision;

class WorldDecider implements Decider {
  readonly #takerOf = remembering(MAX_ADDRESSES, (address: string): Taker => this.#find(address));

  constructor(private readonly sites: Sites) {}

  get hostports(): readonly string[] {
    return this.sites.hostports.all;
  }

  decide(request: DecisionRequest): Decision {
    const site = this.#takerOf(request.address);
    if ("outcome" in site) return site;
    const { host } = readHostport(request.address);
    const arriving = IncomingRequest.of(request, host, site.keepsSlashes);
    const trace = new Trace(site);
    if (!arriving)
      return trace.stop(
        "unknown",
        null,
        "from",
        `${JSON.stringify(request.from)} is not an IP address, and no network in CIDR notation.`,
      );
    return trace.pass(arriving, site.checks) ?? this.#http(arriving, site, trace);
  }

  predicatesOf(address: string, path?: string): Predicates {
    const site = this.#takerOf(address);
    if ("outcome" in site)
      return { predicates: [], conditions: [], unknown: site.outcome === "unknown" ? [site.sentence] : [] };
    const taken = path === undefined ? undefined : site.take(path);
    if (taken === "unknown") return { predicates: [], conditions: [], unknown: [NOT_KNOWN_ROUTES] };
    const takers =
      taken === undefined ? [...site.routes, ...site.ownPaths] : taken === "nothing" ? [] : [taken];
    const checks = [...site.checks, ...takers.flatMap((taker) => taker.checks)];
    return {
      keepsSlashes: site.keepsSlashes,
      predicates: [
        ...(path === undefined ? pathPredicates(site) : []),
        ...checks.flatMap(({ predicates }) => predicates),
      ],
      conditions: checks.flatMap(({ conditions }) => conditions ?? []),
      unknown: [
        ...new Set([
          ...(path === undefined && site.isUnsure ? [NOT_KNOWN_ROUTES] : []),
          ...checks.flatMap(({ unknown, uncut }) => unknown ?? uncut ?? []),
        ]),
      ].sort(inOrder),
    };
  }

  #find(address: string): Taker {
    const quoted = `\`${address}\``;
    if (!isAddress(address))
      return withoutEdge("closed", `${quoted} is not an address of a request: write NAME:PORT.`);
    const { hostports } = this.sites;
    const found = hostports.find(readHostport(address));
    const isExact = found && "hostport" in found && !isWildcard(found.hostport.host);
    if (!isExact && hostports.isUnsure)
      return withoutEdge(
        "unknown",
        `An edge has hostports that are not known yet; ${quoted} may be one of them.`,
      );
    if (!found)
      return this.sites.partial
        ? withoutEdge("unknown", `No edge here serves ${quoted}, and not all edges are known.`)
        : withoutEdge("closed", `No edge serves ${quoted}.`);
    const { edge } = found;
    if ("tooDeep" in found)
      return closed(
        edge,
        `${quoted} has more labels than \`${textOf(found.tooDeep)}\` covers, which is one.`,
      );
    if ("otherName" in found)
      return withoutEdge(
        "unknown",
        `The TCP edge \`${nameOf(edge)}\` takes each connection to port ${found.otherName.port}, and it does not declare ${quoted}: whether that name leads to a gateway is not known here.`,
      );
    const site = this.sites.at(edge, found.hostport);
    if (site === undefined) return closed(edge, `No gateway listens for port ${found.hostport.port}.`);
    return typeof site === "string" ? closed(edge, `No gateway can serve the edge: ${site}.`) : site;
  }

  #http(request: IncomingRequest, site: Site, trace: Trace): Decision {
    const { path } = request;
    if (path === null)
      return trace.stop(
        "refused",
        400,
        "path",
        "Gateways refuse the path: it has to begin with / and be written as in a URL, without an encoded slash.",
      );
    if (request.method !== undefined && !isMethod(request.method))
      return trace.stop(
        "refused",
        400,
        "method",
        "Gateways refuse the method: they take those that HTTP/1.1 servers know, in capital letters.",
      );
    const { hostPort } = request;
    if (hostPort !== undefined && hostPort !== site.hostport.port)
      return trace.stop(
        "unknown",
        null,
        "host",
        `Whether a gateway listens at port ${hostPort} for port ${site.hostport.port} is not known here; one that does not answers 421.`,
      );
    const misdirected = request.host === request.sni ? undefined : this.#otherHost(request, site, trace);
    if (misdirected) return misdirected;
    if (site.refusesSemicolons && holdsSemicolon(path))
      return trace.stop("refused", 400, "path", "The path holds a semicolon.");
    const taken = site.take(path, request);
    if (taken === "unknown")
      return trace.stop("unknown", null, "routes", site.isUnsure ? NOT_KNOWN_ROUTES : NOT_RECORDED_PATH);
    if (taken === "nothing") return trace.stop("not_found", 404, "routes", "No route takes the path.");
    trace.enter(taken);
    return trace.pass(request, taken.checks) ?? trace.stop("unknown", null, "routes", "Nothing decides it.");
  }

  /**
   * A connection may carry requests for another host, where all that is checked before routing is the same.
   */
  #otherHost({ host }: IncomingRequest, site: Site, trace: Trace): Decision | undefined {
    if (host === undefined) return trace.stop("unknown", null, "host", "The host is not recorded.");
    const address = `${host}:${site.hostport.port}`;
    const found = isHostport(address) && !isWildcard(host) ? this.#takerOf(address) : undefined;
    if (found === site) return undefined;
    if (!found || "outcome" in found || !found.http || found.termination !== site.termination)
      return trace.stop("refused", 421, "host", "The host is not served on this connection.");
    return trace.stop(
      "unknown",
      null,
      "host",
      `Whether \`${address}\` is served on this connection depends on the certificates of the gateway.`,
    );
  }
}

const NOT_KNOWN_ROUTES = "Which route takes the path is not wholly known.";
const NOT_RECORDED_PATH = "Which route takes the path depends on a part of it that is not recorded.";

/** The steps of a request, up to the one that decides. */
class Trace {
  readonly #steps: DecisionStep[];
  #limited = false;
  #taken: RouteSite | OwnPath | undefined;

  constructor(private readonly site: Site) {
    this.#steps = [site.step];
  }

  enter(taken: RouteSite | OwnPath): void {
    this.#taken = taken;
    this.#steps.push(taken.step);
  }

  /** Makes checks one after the other; undefined if none ends the request. */
  pass(request: IncomingRequest, checks: readonly Check[]): Decision | undefined {
    for (const check of checks) {
      const { step, limited, end } = check.look(request);
      if (step) this.#steps.push(step);
      if (limited) this.#limited = true;
      if (end) return this.#end(end.outcome, end.status, end.goesTo?.() ?? null);
    }
    return undefined;
  }

  /** Ends a request at the edge itself. */
  stop(outcome: Outcome, status: number | null, field: string, sentence: string): Decision {
    const { kind, id, name } = this.site.step;
    this.#steps.push({ kind, id, name, field, sentence });
    return this.#end(outcome, status, null);
  }

  #end(outcome: Outcome, status: number | null, goesTo: Decision["goes_to"]): Decision {
    const steps = this.#steps;
    const by = present(steps.at(-1));
    return {
      outcome,
      status,
      goes_to: goesTo,
      address: this.#address,
      by: { kind: by.kind, id: by.id, name: by.name, field: by.field },
      steps,
      limited: this.#limited && (outcome === "answered" || outcome === "unserved"),
      sentence: `${HOW[outcome]}${status === null ? "" : ` with ${status}`}: ${by.sentence}`,
    };
  }

  get #address(): string {
    const taken = this.#taken;
    return taken && "address" in taken ? taken.address : textOf(this.site.hostport);
  }
}

const HOW: Readonly<Record<Outcome, string>> = {
  answered: "Answered",
  unserved: "Let in but unserved",
  refused: "Refused",
  closed: "Closed",
  sign_in: "Sent to sign in",
  not_found: "Not found",
  unknown: "Not known",
};

/** The predicates that choose a route. */
function pathPredicates(site: Site): Predicate[] {
  return [
    ...site.routes.map(({ path, exact }) => questionAbout("path", exact ? "==" : "startsWith", path)),
    ...[...site.ownPaths].flatMap(({ path }): Predicate[] => [
      questionAbout("path", "==", path),
      questionAbout("path", "startsWith", OWN_PATHS),
    ]),
  ];
}

/** A name that an edge keeps closed. */
function closed(edge: ModelObject, sentence: string): Decision {
  const step = stepAt(edge, "hostports", sentence);
  const { kind, id, name, field } = step;
  return { ...withoutEdge("closed", sentence), by: { kind, id, name, field }, steps: [step] };
}

/** A decision without any edge. */
export const withoutEdge = (outcome: "closed" | "unknown", sentence: string): Decision => ({
  outcome,
  status: null,
  goes_to: null,
  address: null,
  by: null,
  steps: [],
  limited: false,
  sentence: `${HOW[outcome]}: ${sentence}`,
});
