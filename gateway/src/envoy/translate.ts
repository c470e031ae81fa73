import type { HttpsEdge, TcpEdge, TlsEdge } from "@tunnelplane/sdk";
import { type EdgeKind, messageOf } from "@tunnelplane/sdk/contract";
import { refuseReading, unreadable } from "@tunnelplane/sdk/rules";
import { Backends } from "./backends";
import { certificateFor } from "./certificates";
import { refuseUnknown } from "./enforced";
import type { Json } from "./json";
import { type Front, listenersOf } from "./listeners";
import { type Configuration, type EdgeState, type Environment, type Objects, Unservable } from "./model";
import { type Hostport, hostportsIn } from "./names";
import { recorder } from "./recording";
import { type ChainRequirements, dependsOnPath, OWN, serveRoute, type TranslationContext } from "./routes";
import { signInPlaces } from "./signIn";
import { passageOf } from "./tcpChain";
import { downstreamTls, type Termination, terminationOf } from "./tls";
import { unservedOf } from "./unserved";
import { virtualHost } from "./virtualHost";

/**
 * Turns objects into a configuration for Envoy. An edge that cannot be enforced as a whole is not served.
 * @param leftOut edges that Envoy itself refused, and why
 */
export function translate(
  objects: Objects,
  environment: Environment,
  leftOut: ReadonlyMap<string, string> = new Map(),
): Configuration {
  const backends = new Backends(objects, environment);
  const fronts: Front[] = [];
  const refused: Hostport[] = [];
  const edges: EdgeState[] = [];
  const unserved = unservedOf(objects);
  const serve = (
    kind: EdgeKind,
    edge: HttpsEdge | TlsEdge | TcpEdge,
    front: (hostport: Hostport, backends: Backends) => Front,
  ) => {
    const taken = unserved.hostports.get(edge.id);
    const hostports = hostportsOf(kind, edge, taken);
    const reasons = [...(taken?.values() ?? [])];
    const attempt = new Backends(objects, environment);
    const served: Front[] = [];
    try {
      const fault = objects.unreadable.get(edge.id);
      const reason =
        fault === undefined ? (leftOut.get(edge.id) ?? unserved.edges.get(edge.id)) : unreadable(fault);
      if (reason !== undefined) throw new Unservable(reason);
      refuseUnknown(kind, edge);
      for (const hostport of hostports) {
        const missing =
          kind === "tcp_edge"
            ? missingForTcp(hostport, environment)
            : missingFor(hostport, edge, environment);
        if (missing === undefined) served.push(front(hostport, attempt));
        else reasons.push(missing);
      }
    } catch (error) {
      served.length = 0;
      reasons.splice(
        0,
        reasons.length,
        error instanceof Unservable ? error.message : unreadable(messageOf(error)),
      );
    }
    if (served.length > 0) backends.absorb(attempt);
    const refusals = new Set(served.flatMap((one) => (one.kind === "https_edge" ? one.refusals : [])));
    fronts.push(...served);
    refused.push(...hostports.filter((one) => !served.some(({ hostport }) => hostport === one)));
    const reason = [...inShort(reasons, "hostports"), ...inShort([...refusals], "routes")].join("; ");
    edges.push({ id: edge.id, state: reason === "" ? "applied" : "rejected", reason });
  };
  const signIns = signInPlaces(objects, environment);
  for (const edge of objects.https_edge)
    serve("https_edge", edge, (hostport, attempt) =>
      httpsFront(edge, hostport, {
        objects,
        environment,
        signIns,
        hosts: hostportsOf("https_edge", edge, undefined).map(({ host }) => host),
        backends: attempt,
      }),
    );
  for (const edge of objects.tls_edge)
    serve("tls_edge", edge, (hostport, attempt) =>
      tlsFront(edge, hostport, { objects, environment, backends: attempt }),
    );
  for (const edge of objects.tcp_edge)
    serve("tcp_edge", edge, (hostport, attempt) => ({
      kind: "tcp_edge",
      hostport,
      ...passageOf("tcp_edge", edge, hostport, attempt.destination(edge.backend, hostport, false), objects),
    }));
  const requirements = fronts.flatMap((front) => (front.kind === "https_edge" ? front.requirements : []));
  const renewals = requirements.flatMap(({ signIn }) => signIn?.renewAt ?? []);
  return {
    listeners: [...listenersOf(fronts, refused, environment), ...backends.listeners],
    clusters: [
      ...backends.clusters,
      ...(environment.recording ? [recorder(environment.recording)] : []),
    ].sort((a, b) => (String(a.name) < String(b.name) ? -1 : 1)),
    secrets: Object.fromEntries(requirements.flatMap(({ signIn }) => Object.entries(signIn?.secrets ?? {}))),
    edges,
    renewAt: renewals.length > 0 ? renewals.reduce((first, one) => Math.min(first, one)) : undefined,
  };
}

const textOf = ({ host, port }: Hostport): string => `${host}:${port}`;

/**
 * Each hostport once, regardless of upper and lower case.
 * @param unserved those that another edge has, or that are no hostports: Envoy would refuse all of a port
 */
function hostportsOf(
  kind: EdgeKind,
  { hostports }: HttpsEdge | TlsEdge | TcpEdge,
  unserved: ReadonlyMap<string, string> | undefined,
): Hostport[] {
  const read = hostportsIn(
    kind,
    hostports.filter((one) => !unserved?.has(one)),
  );
  // Connections over TCP say no name, so the first hostport of a port stands for all.
  if (kind === "tcp_edge")
    return read.filter(({ port }, index) => read.findIndex((one) => one.port === port) === index);
  return [...new Map(read.map((one) => [textOf(one), one])).values()];
}

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

function transportFor(
  { host }: Hostport,
  termination: Termination,
  protocols: readonly string[],
  { certificates, now }: Environment,
): Json {
  const found = certificateFor(host, certificates, now);
  if (typeof found === "string") throw new Unservable(found);
  return downstreamTls(termination, found, protocols);
}

function httpsFront(edge: HttpsEdge, hostport: Hostport, context: TranslationContext): Front {
  const termination = terminationOf(edge.tls_termination, edge.mutual_tls, context.objects);
  const all = edge.routes.map((route) => serveRoute(route, hostport, context));
  const requirements: ChainRequirements[] = all.map((one) => one.requirements);
  const served = [
    ...all.flatMap((one) => one.served),
    ...(edge.routes.some(({ oidc }) => oidc?.enabled) ? [OWN] : []),
  ];
  return {
    kind: "https_edge",
    hostport,
    transport: transportFor(hostport, termination, ["h2", "http/1.1"], context.environment),
    virtualHost: virtualHost(hostport, served, { semicolons: dependsOnPath(edge, served) }),
    requirements,
    refusals: all.flatMap(({ refusal }) => refusal ?? []),
  };
}

function tlsFront(
  edge: TlsEdge,
  hostport: Hostport,
  { objects, environment, backends }: Omit<TranslationContext, "signIns" | "hosts">,
): Front {
  const upstream = endsUpstream(edge);
  if (upstream) refuseReading([edge.mutual_tls, edge.policies].some((module) => module?.enabled));
  const passage = passageOf(
    "tls_edge",
    edge,
    hostport,
    backends.destination(edge.backend, hostport, false),
    objects,
  );
  const transport = upstream
    ? undefined
    : transportFor(hostport, terminationOf(edge.tls_termination, edge.mutual_tls, objects), [], environment);
  return { kind: "tls_edge", hostport, transport, ...passage };
}
