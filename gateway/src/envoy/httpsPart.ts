import type { HttpsEdge } from "@tunnelplane/sdk";
import { type Arrivals, arrivalsBy, closing } from "./arrivals";
import type { Arrival } from "./callerHeaders";
import { type Hostport, isWildcard, shortHash } from "./hostports";
import { httpManager, type Reporting, routesFor } from "./httpChain";
import type { Json } from "./json";
import { toChain } from "./matchers";
import { type Environment, type Listen, markOf, type ServerCertificate } from "./model";
import type { Chain, Part, Served } from "./part";
import { HTTP_CHAIN } from "./recording";
import type { ChainRequirements } from "./routes";
import {
  certificatesNamed,
  downstreamTls,
  HANDSHAKE,
  type SecretNames,
  secretOf,
  type Termination,
} from "./tls";

/** A hostport of an HTTPS edge that was understood. */
export interface HttpsFront {
  readonly hostport: Hostport;
  readonly certificate: ServerCertificate;
  readonly virtualHost: Json;
  readonly requirements: readonly ChainRequirements[];
}

type HttpsPart = Pick<Part, "hostports" | "chains" | "routes">;

/**
 * One chain for all hosts of an edge at a port, which no other edge shares: so a change of one ends no
 * connection of another.
 * @param strangers hosts of other edges that are below a wildcard of this one
 */
export function httpsPart(
  { id, escaped_slashes }: HttpsEdge,
  termination: Termination,
  fronts: readonly HttpsFront[],
  strangers: (port: number, own: readonly string[]) => readonly string[],
  nameOf: SecretNames,
  environment: Pick<Environment, "balancers" | "recording" | "counting" | "tracing" | "marks" | "listen">,
): HttpsPart {
  const arrivals = arrivalsBy(environment.balancers);
  const keepsSlashes = escaped_slashes === "keep";
  const ports = [...new Set(fronts.map(({ hostport }) => hostport.port))];
  const all = ports.map((port): HttpsPart => {
    const here = fronts.filter(({ hostport }) => hostport.port === port);
    const groups = apart(here);
    const made = arrivals.map((arrival) => {
      const start = `${id}${markOf(environment, id)}${arrival.by === "forwarded" ? " through a balancer" : ""}`;
      const at = { ...reached(port, environment.listen), by: arrival.by, keepsSlashes };
      const routes = ruled(start, here, at, termination, strangers, environment);
      const chains = groups.map((group, index) =>
        chain(
          `${HTTP_CHAIN}${start}${index > 0 ? ` ${index}` : ""}`,
          arrival,
          routes.manager,
          termination,
          new Set(group.map(({ certificate }) => nameOf(certificate))),
        ),
      );
      return { routes: routes.routes, chains };
    });
    return {
      hostports: groups.flatMap((group, index) =>
        group.map(
          ({ hostport }): Served => ({
            ...hostport,
            to: made.map(({ chains }) => toChain(chains[index]?.name ?? "")),
          }),
        ),
      ),
      chains: made.flatMap(({ chains }) => chains.map((one) => ({ port, chain: one }))),
      routes: made.map(({ routes }) => routes),
    };
  });
  return {
    hostports: all.flatMap(({ hostports }) => hostports),
    chains: all.flatMap(({ chains }) => chains),
    routes: all.flatMap(({ routes }) => routes),
  };
}

/**
 * The filter and its routes. Their name says what is checked before routing: where a check moves between a
 * chain and its routes, the chain brings the routes that belong to it.
 */
function ruled(
  start: string,
  fronts: readonly HttpsFront[],
  at: Arrival,
  termination: Termination,
  strangers: (port: number, own: readonly string[]) => readonly string[],
  reporting: Reporting,
): { readonly manager: Json; readonly routes: Json } {
  const requirements = fronts.flatMap((front) => front.requirements);
  const { port } = at;
  const manager = (routes: string) => httpManager(routes, requirements, at, reporting);
  const name = `${start} ${port} ${shortHash(JSON.stringify([manager(""), termination]))}`;
  const own = fronts.map(({ hostport }) => hostport.host);
  const hosts = fronts.map(({ virtualHost }) => virtualHost);
  return { manager: manager(name), routes: routesFor(name, hosts, strangers(port, own), at) };
}

/** The ports with which callers may name a hostport of a port: its own, and those at which it is served. */
export function reached(port: number, listen: readonly Listen[]): Pick<Arrival, "port" | "bound"> {
  const bound = listen.flatMap((one) => (one.port === port ? [one.bindPort] : []));
  return { port, bound: [...new Set(bound)].filter((one) => one !== port).sort((a, b) => a - b) };
}

/**
 * In one chain: for each certificate that Envoy gets, it loads all others of the chain again. A start with
 * 1,000 took it 2.2 s of processor time with 100 in each chain, and 0.3 s with these.
 */
const MAX_CERTIFICATES = 4;

/** Groups of hosts for each of which Envoy finds the right certificate by the name in TLS. */
function apart(fronts: readonly HttpsFront[]): HttpsFront[][] {
  const groups: { fronts: HttpsFront[]; byName: Map<string, string>; secrets: Set<string> }[] = [];
  for (const front of fronts) {
    const { certificate } = front;
    const own = secretOf(certificate);
    const fits = (group: (typeof groups)[number]) =>
      (group.secrets.has(own) || group.secrets.size < MAX_CERTIFICATES) &&
      certificate.names.every((name) => [undefined, own].includes(group.byName.get(name))) &&
      !group.fronts.some((other) => isRival(other, front) || isRival(front, other));
    let group = groups.find(fits);
    if (!group) {
      group = { fronts: [], byName: new Map(), secrets: new Set() };
      groups.push(group);
    }
    group.fronts.push(front);
    group.secrets.add(own);
    for (const name of certificate.names) group.byName.set(name, own);
  }
  return groups.map((group) => group.fronts);
}

/** Whether the certificate of one names the host of another, which has one for a wildcard. */
const isRival = (one: HttpsFront, other: HttpsFront): boolean =>
  one.certificate !== other.certificate &&
  !isWildcard(other.hostport.host) &&
  !other.certificate.names.includes(other.hostport.host) &&
  one.certificate.names.includes(other.hostport.host);

function chain(
  name: string,
  arrival: Arrivals,
  manager: Json,
  termination: Termination,
  secrets: Iterable<string>,
): Chain {
  return {
    name,
    filters: [...closing(arrival), manager],
    transport_socket: downstreamTls(termination, certificatesNamed(secrets), ["h2", "http/1.1"]),
    transport_socket_connect_timeout: HANDSHAKE,
  };
}
