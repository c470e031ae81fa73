import type { HttpsEdge, TcpEdge, TlsEdge } from "@tunnelplane/sdk";
import { type EdgeKind, messageOf } from "@tunnelplane/sdk/contract";
import { refuseKeptSlashes, refuseReading, unreadable } from "@tunnelplane/sdk/rules";
import { Backends, type Destination, isSingle } from "./backends";
import { named } from "./callerHeaders";
import { certificateFor } from "./certificates";
import { tcpListener, tlsPart } from "./connectionParts";
import { counter } from "./counting";
import { refuseUnknown } from "./enforced";
import { type Hostport, hostportsIn, isWildcard, shortHash, wildcardsAbove } from "./hostports";
import { type HttpsFront, httpsPart, reached } from "./httpsPart";
import { addTo, onceForEach } from "./indexes";
import type { Json } from "./json";
import { tlsListeners } from "./listeners";
import {
  type Configuration,
  type Environment,
  markOf,
  type Objects,
  type ServerCertificate,
  Unservable,
} from "./model";
import type { Part, Served } from "./part";
import { recorder } from "./recording";
import { dependsOnPath, OWN, serveRoute } from "./routes";
import { type Passage, passageOf } from "./tcpChain";
import {
  certificatesNamed,
  downstreamTls,
  secret,
  secretNames,
  type Termination,
  terminationOf,
} from "./tls";
import { tracer } from "./tracing";
import { type Unserved, unservedOf } from "./unserved";
import { virtualHost } from "./virtualHost";

/** Turns objects into a configuration for Envoy. An edge that cannot be enforced as a whole is not served. */
export const translate = (objects: Objects, environment: Environment): Configuration =>
  assemble(partsOf(objects, environment), environment);

/** Each edge's part of the configuration. */
export function partsOf(objects: Objects, environment: Environment): Part[] {
  const unserved = unservedOf(objects);
  return edgesOf(objects).map(([kind, edge]) => partOf(kind, edge, { objects, environment, unserved }));
}

export type AnyEdge = HttpsEdge | TlsEdge | TcpEdge;
const EDGE_KINDS = ["https_edge", "tls_edge", "tcp_edge"] as const;
export const edgesOf = (objects: Objects) =>
  EDGE_KINDS.flatMap((kind) => objects[kind].map((edge): [typeof kind, AnyEdge] => [kind, edge]));

export interface World {
  readonly objects: Objects;
  readonly environment: Environment;
  readonly unserved: Unserved;
}

/** Puts the parts together. @param leftOut edges that Envoy itself refused, and why */
export function assemble(
  parts: readonly Part[],
  environment: Environment,
  leftOut: ReadonlyMap<string, string> = new Map(),
): Configuration {
  const served = parts.map((part) => {
    const reason = leftOut.get(part.id);
    return reason === undefined ? part : closed(part, reason);
  });
  const { recording, counting, tracing } = environment;
  const clusters = [
    ...served.flatMap((part) => part.clusters),
    ...(recording ? [recorder(recording)] : []),
    ...(counting ? [counter(counting)] : []),
    ...(tracing ? [tracer(tracing)] : []),
  ];
  return {
    listeners: onceEach([...tlsListeners(served, environment), ...served.flatMap((part) => part.listeners)]),
    routes: served.flatMap((part) => part.routes),
    clusters: onceEach(clusters),
    secrets: onceEach(served.flatMap((part) => part.secrets)),
    edges: served.map(({ id, state, reason }) => ({ id, state, reason })),
  };
}

/** The same name means the same: edges share backends and certificates. */
const onceEach = (messages: readonly Json[]): Json[] => [
  ...new Map(messages.map((one) => [one.name, one])).values(),
];

const NOTHING = { chains: [], listeners: [], routes: [], clusters: [], secrets: [] };
const refusing = (hostport: Hostport): Served => ({ ...hostport, to: [] });

/** An edge that is rejected is refused at its names: no wildcard beside it takes them over. */
const closed = ({ id, hostports }: Pick<Part, "id" | "hostports">, reason: string): Part => ({
  ...NOTHING,
  id,
  state: "rejected",
  reason,
  hostports: hostports.map(refusing),
});

export function partOf(kind: EdgeKind, edge: AnyEdge, world: World): Part {
  const { objects, environment, unserved } = world;
  const taken = unserved.hostports.get(edge.id);
  const hostports = hostportsOf(kind, edge, taken);
  try {
    const fault = objects.unreadable.get(edge.id);
    const reason = fault === undefined ? unserved.edges.get(edge.id) : unreadable(fault);
    if (reason !== undefined) throw new Unservable(reason);
    refuseUnknown(kind, edge);
    const reasons = [...(taken?.values() ?? [])];
    const served = hostports.filter((hostport) => {
      const missing =
        kind === "tcp_edge" ? missingForTcp(hostport, environment) : missingFor(hostport, edge, environment);
      if (missing !== undefined) reasons.push(missing);
      return missing === undefined;
    });
    const backends = new Backends(objects, environment);
    const made = served.length === 0 ? {} : makeOf(kind, edge, served, backends, world);
    const faults = [...inShort(reasons, "hostports"), ...inShort(made.refusals ?? [], "routes")];
    const warnings = inShort(warningsOf(kind, edge, served, environment), "warnings");
    const refused = hostports.filter((one) => !served.includes(one)).map(refusing);
    return {
      ...NOTHING,
      ...made,
      id: edge.id,
      state: faults.length === 0 ? "applied" : "rejected",
      reason: [...faults, ...warnings].join("; "),
      // Nobody else has a place at a port for connections.
      hostports: kind === "tcp_edge" ? [] : [...(made.hostports ?? []), ...refused],
      listeners: [...(made.listeners ?? []), ...backends.listeners],
      clusters: backends.clusters,
    };
  } catch (error) {
    const reason = error instanceof Unservable ? error.message : unreadable(messageOf(error));
    return closed({ id: edge.id, hostports: kind === "tcp_edge" ? [] : hostports.map(refusing) }, reason);
  }
}

type Made = Partial<Part> & {
  /** Why some of its routes are refused. */
  readonly refusals?: readonly string[];
};

function makeOf(
  kind: EdgeKind,
  edge: AnyEdge,
  hostports: readonly Hostport[],
  backends: Backends,
  world: World,
): Made {
  const { environment } = world;
  if ("routes" in edge) return httpsOf(edge, hostports, backends, world);
  if (kind === "tcp_edge") {
    const listeners = hostports.map((hostport) =>
      tcpListener(edge.id, hostport, passageFor("tcp_edge", edge, hostport, backends, world), environment),
    );
    return { listeners };
  }
  return tlsOf(edge as TlsEdge, hostports, backends, world);
}

const passageFor = (
  kind: "tls_edge" | "tcp_edge",
  edge: TlsEdge | TcpEdge,
  hostport: Hostport,
  backends: Backends,
  { objects, environment }: World,
  termination?: Termination,
): Passage => {
  const found = backends.destination(edge.backend, hostport, "connections");
  const passage = (to: Destination) => passageOf(kind, edge, hostport, to, objects, environment);
  if (!edge.backend || !isSingle(found)) return passage(found);
  // The chain stays where the backend alone moves. Where more of it changes, both change at once.
  const rest = passage({ clusters: [], traits: found.traits });
  const chain = shortHash(JSON.stringify([rest.filters, rest.protocol, termination]));
  return passage(backends.renamed(found, `${withMark(edge, environment)} ${chain}`));
};

function httpsOf(
  edge: HttpsEdge,
  hostports: readonly Hostport[],
  backends: Backends,
  { objects, environment, unserved }: World,
): Made {
  const hosts = hostportsOf("https_edge", edge, undefined).map(({ host }) => host);
  const termination = terminationOf(edge.tls_termination, edge.mutual_tls, objects);
  const signsIn = edge.routes.some(({ oidc }) => oidc?.enabled);
  const refusals = new Set<string>();
  const fronts = hostports.map((hostport): HttpsFront => {
    const all = edge.routes.map((route) =>
      serveRoute(route, hostport, { objects, environment, hosts, backends }),
    );
    for (const { refusal } of all) if (refusal !== undefined) refusals.add(refusal);
    const served = [...all.flatMap((one) => one.served), ...(signsIn ? [OWN] : [])];
    const semicolons = dependsOnPath(edge, served);
    if (semicolons && edge.escaped_slashes === "keep") refuseKeptSlashes();
    return {
      hostport,
      certificate: certificateOf(hostport, environment),
      virtualHost: virtualHost(
        hostport,
        named(hostport.host, reached(hostport.port, environment.listen)),
        served,
        { semicolons },
      ),
      requirements: all.map((one) => one.requirements),
    };
  });
  const strangers = (port: number, own: readonly string[]) => strangersTo(port, own, objects, unserved);
  const certificates = fronts.map(({ certificate }) => certificate);
  const nameOf = secretNames(certificates, withMark(edge, environment));
  const signIns = fronts.flatMap(({ requirements }) => requirements.flatMap(({ signIn }) => signIn ?? []));
  return {
    ...httpsPart(edge, termination, fronts, strangers, nameOf, environment),
    secrets: [
      ...[...new Map(certificates.map((one) => [nameOf(one), one]))].map((one) => secret(...one)),
      ...signIns.flatMap((one) => one.secrets),
    ],
    refusals: [...refusals],
  };
}

function tlsOf(edge: TlsEdge, hostports: readonly Hostport[], backends: Backends, world: World): Made {
  const { objects, environment } = world;
  const upstream = endsUpstream(edge);
  if (upstream) refuseReading([edge.mutual_tls, edge.policies].some((module) => module?.enabled));
  const termination = upstream ? undefined : terminationOf(edge.tls_termination, edge.mutual_tls, objects);
  const secrets = (upstream ? [] : hostports).map((one) =>
    secret(`certificate of ${edge.id} ${textOf(one)}`, certificateOf(one, environment)),
  );
  const fronts = hostports.map((hostport, index) => {
    const named = certificatesNamed(secrets.slice(index, index + 1).map(({ name }) => name));
    return {
      hostport,
      passage: passageFor("tls_edge", edge, hostport, backends, world, termination),
      transport: termination && ((protocol: string) => downstreamTls(termination, named, [protocol])),
    };
  });
  return { ...tlsPart(edge.id, fronts, environment), secrets };
}

const withMark = ({ id }: AnyEdge, environment: Environment): string => `${id}${markOf(environment, id)}`;

/**
 * The hosts of other edges that are below wildcards of one edge: a request for them must not reach its
 * routes.
 */
function strangersTo(
  port: number,
  own: readonly string[],
  objects: Objects,
  unserved: Unserved,
): readonly string[] {
  const wildcards = own.filter(isWildcard);
  if (wildcards.length === 0) return [];
  const below = hostsBelow(objects, unserved);
  const ours = new Set(own);
  const strangers = wildcards.flatMap((host) => below.get(`${host}:${port}`) ?? []);
  return [...new Set(strangers)].filter((host) => !ours.has(host)).sort();
}

/** The same for all of an edge's ports, in one text. */
export function strangersOf(kind: EdgeKind, edge: AnyEdge, { objects, unserved }: World): string {
  const all = hostportsOf(kind, edge, unserved.hostports.get(edge.id));
  const ports = all.some(({ host }) => isWildcard(host)) ? new Set(all.map(({ port }) => port)) : [];
  return JSON.stringify(
    [...ports].map((port) => {
      const own = all.flatMap((one) => (one.port === port ? [one.host] : []));
      return [port, strangersTo(port, own, objects, unserved)];
    }),
  );
}

const indexes = new WeakMap<Objects, ReadonlyMap<string, readonly string[]>>();

/** The hosts of all edges, by the wildcards that cover them. */
function hostsBelow(objects: Objects, unserved: Unserved): ReadonlyMap<string, readonly string[]> {
  const known = indexes.get(objects);
  if (known) return known;
  const made = new Map<string, string[]>();
  for (const kind of ["https_edge", "tls_edge"] as const)
    for (const edge of objects[kind])
      for (const { host, port } of hostportsOf(kind, edge, unserved.hostports.get(edge.id)))
        for (const wildcard of wildcardsAbove(host)) addTo(made, `${wildcard}:${port}`, host);
  indexes.set(objects, made);
  return made;
}

const textOf = ({ host, port }: Hostport): string => `${host}:${port}`;

/**
 * Each hostport once, regardless of upper and lower case.
 * @param unserved those that another edge has, or that are no hostports: Envoy would refuse all of a port
 */
export function hostportsOf(
  kind: EdgeKind,
  edge: AnyEdge,
  unserved: ReadonlyMap<string, string> | undefined,
): readonly Hostport[] {
  if (unserved === undefined && kind !== "tcp_edge") return allHostports(edge);
  const read = hostportsIn(
    kind,
    edge.hostports.filter((one) => !unserved?.has(one)),
  );
  // Connections over TCP say no name, so the first hostport of a port stands for all.
  if (kind === "tcp_edge")
    return read.filter(({ port }, index) => read.findIndex((one) => one.port === port) === index);
  return onceNamed(read);
}

const onceNamed = (hostports: readonly Hostport[]): readonly Hostport[] => [
  ...new Map(hostports.map((one) => [textOf(one), one])).values(),
];

/** Of an edge with names. Most edges are the same from one change to the next. */
const allHostports = onceForEach(({ hostports }: AnyEdge) => onceNamed(hostportsIn("https_edge", hostports)));

/** An edge may have a hundred hostports or routes, and each of them the same fault. */
const MAX_REASONS = 5;
const inShort = (reasons: readonly string[], what: string): string[] => [
  ...reasons.slice(0, MAX_REASONS),
  ...(reasons.length > MAX_REASONS ? [`and ${reasons.length - MAX_REASONS} more ${what}`] : []),
];

const endsUpstream = (edge: HttpsEdge | TlsEdge | TcpEdge): boolean =>
  "tls_termination" in edge &&
  edge.tls_termination?.enabled === true &&
  "terminate_at" in edge.tls_termination &&
  edge.tls_termination.terminate_at === "upstream";

/** Says what is missing on this machine to serve a hostport. Other hostports of the edge are served. */
function missingFor(
  { host, port }: Hostport,
  edge: HttpsEdge | TlsEdge | TcpEdge,
  { listen, certificates, now }: Environment,
): string | undefined {
  if (!listen.some((one) => one.port === port))
    return `${host}:${port} is not served, because this gateway does not listen for port ${port}: add --listen [${port}=]ADDRESS:PORT`;
  if (endsUpstream(edge)) return undefined;
  const found = certificateFor(host, certificates, now);
  return typeof found === "string" ? `${host}:${port} is not served, because ${found}` : undefined;
}

function missingForTcp({ host, port }: Hostport, { tcpListen }: Environment): string | undefined {
  if (tcpListen?.some((one) => one.port === port)) return undefined;
  const why = tcpListen
    ? `this gateway cannot listen on port ${port}: its log says why`
    : "this gateway serves no TCP edges: add --tcp-listen ADDRESS";
  return `${host}:${port} is not served, because ${why}`;
}

/** Of certificates that are served. */
function warningsOf(
  kind: EdgeKind,
  edge: AnyEdge,
  hostports: readonly Hostport[],
  environment: Environment,
): readonly string[] {
  if (kind === "tcp_edge" || endsUpstream(edge)) return [];
  const warnings = hostports.flatMap((hostport) => certificateOf(hostport, environment).warning ?? []);
  return [...new Set(warnings)].map((text) => `warning: ${text}`);
}

function certificateOf({ host }: Hostport, { certificates, now }: Environment): ServerCertificate {
  const found = certificateFor(host, certificates, now);
  if (typeof found === "string") throw new Unservable(found);
  return found;
}
