import type { HttpsEdge, HttpsEdgeRoutes, TcpEdge, TlsEdge } from "@tunnelplane/sdk";
import { DEFAULT_PROJECT } from "@tunnelplane/sdk/contract";
import { certificateFor } from "../envoy/certificates";
import { hostportsIn, socketOfHostport, socketOfLabels, wildcardsAbove } from "../envoy/hostports";
import { withId } from "../envoy/indexes";
import type { InProject, Objects, ServerCertificate } from "../envoy/model";
import { Counts, type Shown, seriesOf } from "./series";

/** At most so many series of hostports; Prometheus keeps each in memory. */
const MAX_SERIES = 2000;
/** What the gateway has besides, with room for more. */
const OTHER_SERIES = 50;
export const OTHER = "other";

type Kind = "tls_edge" | "https_edge" | "tcp_edge";
type Edge = (TlsEdge | HttpsEdge | TcpEdge) & InProject;

/** A hostport that is declared. */
export interface Declared {
  /** `host:port` */
  readonly hostport: string;
  readonly host: string;
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
      for (const { host, port } of hostportsIn(kind, edge.hostports)) {
        const hostport = `${host}:${port}`;
        if (all.has(hostport)) continue;
        left -= seriesOf(kind === "https_edge");
        const isOwn = left >= 0;
        const known = before.get(hostport);
        const counts = isOwn ? (known?.isOwn ? known.counts : new Counts()) : this.other;
        all.set(hostport, { hostport, host, kind, edge, counts, isOwn });
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
    const own: Shown[] = [];
    const rest = { count: 0, agents: 0, ends: [] as number[] };
    for (const declared of this.#all.values()) {
      const certificateEnd = endOf(declared, certificates, now);
      const agents = this.#socketsOf(declared).reduce((sum, socket) => sum + agentsAt(socket), 0);
      const { hostport, counts, kind } = declared;
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

  /** Behind which its agents are: those that bind it, and those of its tunnel groups. */
  #socketsOf({ edge, host, hostport }: Declared): string[] {
    const port = Number(hostport.slice(host.length + 1));
    const backends = "routes" in edge ? edge.routes.map(({ backend }) => backend) : [edge.backend];
    const groups = backends.flatMap((module) => this.#groupsBehind(module?.backend?.id, 0));
    return [...new Set([socketOfHostport({ host, port }), ...groups])];
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
