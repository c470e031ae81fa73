import type { HttpsEdge, HttpsEdgeRoutes, TcpEdge, TlsEdge } from "@tunnelplane/sdk";
import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import { certificateFor } from "../envoy/certificates";
import { hostportsIn, socketOfHostport, socketOfLabels, wildcardsAbove } from "../envoy/hostports";
import { withId } from "../envoy/indexes";
import { isSameLook } from "../envoy/kept";
import type { Environment, InProject, Objects, ServerCertificate } from "../envoy/model";
import { Counts, type Shown, seriesOf } from "./series";

/** At most so many series of hostports; Prometheus keeps each in memory. */
const MAX_SERIES = 2000;
/** What the gateway has besides, with room for more. */
const OTHER_SERIES = 50;
export const OTHER = "other";

type Kind = "tls_edge" | "https_edge" | "tcp_edge";
type Edge = (TlsEdge | HttpsEdge | TcpEdge) & InProject;

/** A hostport of an edge. */
interface Named {
  /** `host:port` */
  readonly hostport: string;
  readonly host: string;
  /** Of agents that bind it. */
  readonly socket: string;
}

/** A hostport that is declared. */
export interface Declared extends Named {
  readonly kind: Kind;
  readonly edge: Edge;
  readonly counts: Counts;
  /** Whether it has series of its own. */
  readonly isOwn: boolean;
}

/** The hostports that are declared, and what is counted of each; those beyond the limit, together. */
export class Observed {
  readonly other = new Counts();
  #all: ReadonlyMap<string, Declared> = new Map();
  /** Of TCP edges, whose connections say no name. */
  #byPort: ReadonlyMap<string, Declared> = new Map();
  #routes: ReadonlyMap<string, HttpsEdgeRoutes> = new Map();
  #objects: Objects | undefined;
  #isRead = true;
  /** When certificates end, in seconds, by edge and host, as of the last look at them. */
  #ends = new WeakMap<Edge, Map<string, number | undefined>>();
  #looked: Pick<Environment, "certificates" | "now"> | undefined;

  /** Takes what is served from now on. Hostports that stay keep their counts. */
  know(objects: Objects): void {
    this.#objects = objects;
    this.#isRead = false;
  }

  /**
   * Only when somebody asks: changes may come one after another, and 10,000 hostports take some 20 ms
   * (measured 2026-11-29).
   */
  #read(): void {
    const objects = this.#objects;
    if (this.#isRead || !objects) return;
    this.#isRead = true;
    const before = this.#all;
    const edges = (["tls_edge", "https_edge", "tcp_edge"] as const).flatMap((kind) =>
      objects[kind].map((edge): [Kind, Edge] => [kind, edge]),
    );
    // Ids do not follow time within a second; the order only has to stay the same.
    edges.sort(([, a], [, b]) => compare(a.created_at, b.created_at) || compare(a.id, b.id));
    let left = MAX_SERIES - OTHER_SERIES - seriesOf(true);
    const all = new Map<string, Declared>();
    for (const [kind, edge] of edges)
      for (const named of namesOf(kind, edge)) {
        const { hostport } = named;
        if (all.has(hostport)) continue;
        left -= seriesOf(kind === "https_edge");
        const isOwn = left >= 0;
        const known = before.get(hostport);
        const counts = isOwn ? (known?.isOwn ? known.counts : new Counts()) : this.other;
        all.set(hostport, { ...named, kind, edge, counts, isOwn });
      }
    this.#all = all;
    this.#byPort = new Map(
      [...all.values()].flatMap((one) =>
        one.kind === "tcp_edge" ? [[one.hostport.slice(one.host.length + 1), one] as const] : [],
      ),
    );
    this.#routes = new Map(
      objects.https_edge.flatMap(({ routes }) => routes.map((route) => [route.id, route])),
    );
  }

  /** The hostport of a connection to a port, by the names that the caller gave, best first. */
  find(port: string, ...names: readonly string[]): Declared | undefined {
    this.#read();
    for (const name of names) {
      const host = name.toLowerCase().replace(/:\d+$/, "");
      for (const one of [host, ...wildcardsAbove(host).slice(0, 1)]) {
        const found = this.#all.get(`${one}:${port}`);
        if (found) return found;
      }
    }
    return this.#byPort.get(port);
  }

  route(id: string): HttpsEdgeRoutes | undefined {
    this.#read();
    return this.#routes.get(id);
  }

  /**
   * All that have series of their own, and `other` for the rest.
   * @param agentsAt how many agents serve a socket
   */
  shown(
    certificates: readonly ServerCertificate[],
    now: number,
    agentsAt: (socket: string) => number,
  ): Shown[] {
    this.#read();
    if (!isSameLook(this.#looked, { certificates, now })) this.#ends = new WeakMap();
    this.#looked = { certificates, now };
    const groups = new Map<Edge, ReadonlySet<string>>();
    const own: Shown[] = [];
    const rest = { count: 0, agents: 0, ends: [] as number[] };
    for (const declared of this.#all.values()) {
      const { hostport, socket, counts, kind, edge } = declared;
      const certificateEnd = this.#endOf(declared, certificates, now);
      const behind = groups.get(edge) ?? this.#socketsBehind(edge);
      groups.set(edge, behind);
      let agents = behind.has(socket) ? 0 : agentsAt(socket);
      for (const one of behind) agents += agentsAt(one);
      if (declared.isOwn)
        own.push({ hostport, counts, isHttp: kind === "https_edge", certificateEnd, agents });
      else {
        rest.count++;
        rest.agents += agents;
        if (certificateEnd !== undefined) rest.ends.push(certificateEnd);
      }
    }
    const first = rest.ends.reduce((least, end) => Math.min(least, end), Number.POSITIVE_INFINITY);
    const certificateEnd = Number.isFinite(first) ? first : undefined;
    const other = { hostport: OTHER, counts: this.other, isHttp: true, agents: rest.agents, certificateEnd };
    return rest.count > 0 ? [...own, other] : own;
  }

  #endOf(declared: Declared, certificates: readonly ServerCertificate[], now: number): number | undefined {
    const { edge, host } = declared;
    const ends = this.#ends.get(edge) ?? new Map<string, number | undefined>();
    this.#ends.set(edge, ends);
    if (!ends.has(host)) ends.set(host, endOf(declared, certificates, now));
    return ends.get(host);
  }

  /** Of the tunnel groups of an edge. */
  #socketsBehind(edge: Edge): ReadonlySet<string> {
    const backends = "routes" in edge ? edge.routes.map(({ backend }) => backend) : [edge.backend];
    return new Set(backends.flatMap((module) => this.#groupsBehind(module?.backend?.id, 0)));
  }

  #groupsBehind(id: string | undefined, depth: number): string[] {
    if (id === undefined || depth > MAX_DEPTH || !this.#objects) return [];
    const { tunnel_group_backend, weighted_backend, failover_backend } = this.#objects;
    const group: ((typeof tunnel_group_backend)[number] & InProject) | undefined = withId(
      tunnel_group_backend,
      id,
    );
    if (group) return [socketOfLabels(group.labels, group.project_id ?? DEFAULT_PROJECT.id)];
    const inner = [
      ...Object.keys(withId(weighted_backend, id)?.backends ?? {}),
      ...(withId(failover_backend, id)?.backends ?? []),
    ];
    return inner.flatMap((one) => this.#groupsBehind(one, depth + 1));
  }
}

const MAX_DEPTH = 3;

const names = new WeakMap<Edge, readonly Named[]>();

/** The same as long as the edge is. */
function namesOf(kind: Kind, edge: Edge): readonly Named[] {
  const found =
    names.get(edge) ??
    hostportsIn(kind, edge.hostports).map((one) => ({
      hostport: `${one.host}:${one.port}`,
      host: one.host,
      socket: socketOfHostport(one),
    }));
  names.set(edge, found);
  return found;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** In seconds. */
function endOf(
  { kind, edge, host }: Declared,
  certificates: readonly ServerCertificate[],
  now: number,
): number | undefined {
  if (kind === "tcp_edge") return undefined;
  if (kind === "tls_edge" && (edge as TlsEdge).tls_termination?.terminate_at === "upstream") return undefined;
  const found = certificateFor(host, certificates, now);
  return typeof found === "string" ? undefined : Math.floor(found.notAfter / 1000);
}
