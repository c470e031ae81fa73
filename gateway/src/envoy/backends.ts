import type { Ref } from "@tunnelplane/sdk";
import { answerOf, type Response } from "./answers";
import { withId } from "./indexes";
import { extension, type Json, typed } from "./json";
import { type Objects, type Surroundings, Unservable } from "./model";
import { type Hostport, LONGEST_SOCKET, socketOfHostport, socketOfLabels } from "./names";
import { upstreamTls } from "./tls";

/** Where traffic goes: shares of it to clusters, or an answer of Envoy's own, or nowhere. */
export type Destination =
  | { readonly clusters: readonly { readonly name: string; readonly weight: number }[] }
  | { readonly response: Response }
  | "nowhere";

/** The socket of those agents that have bound a hostport. */
const BOUND = "agents";
/** Envoy's own limit of 1,024 connections to a cluster is for machines beside it. */
const MOST_AT_ONCE = 65_536;

interface BackendModule {
  readonly enabled: boolean;
  readonly backend: Ref;
}

/** Turns backends into clusters, each once. */
export class Backends {
  readonly #clusters = new Map<string, Json>();
  readonly #listeners = new Map<string, Json>();
  readonly #checked = new Set<string>();

  constructor(
    private readonly objects: Objects,
    private readonly surroundings: Surroundings,
  ) {}

  /** Takes over what an edge needs that is served. */
  absorb(other: Backends): void {
    for (const [name, cluster] of other.#clusters) this.#clusters.set(name, cluster);
    for (const [name, listener] of other.#listeners) this.#listeners.set(name, listener);
    for (const name of other.#checked) this.#checked.add(name);
  }

  get clusters(): Json[] {
    return [...this.#clusters].map(([name, cluster]) => (this.#checked.has(name) ? { ...cluster, health_checks: [CHECK] } : cluster));
  }

  /** Listeners inside of Envoy, which clusters send to. */
  get listeners(): Json[] {
    return [...this.#listeners.values()];
  }

  /** @param http whether Envoy reads HTTP there, so that it can answer by itself */
  destination(module: BackendModule | null, hostport: Hostport, http: boolean): Destination {
    if (!module)
      return { clusters: [{ name: this.#agents(`${BOUND}:${hostport.host}:${hostport.port}`, socketOfHostport(hostport)), weight: 1 }] };
    if (!module.enabled) return "nowhere";
    return this.#of(module.backend.id, http, []);
  }

  /** A cluster that speaks TLS to the host of a URL; key sets and issuers are there. */
  forUrl(url: string): string {
    const { hostname, port, protocol } = new URL(url);
    return this.#address(hostname.replace(/^\[|\]$/g, ""), Number(port || (protocol === "https:" ? 443 : 80)), protocol === "https:");
  }

  #of(id: string, http: boolean, above: readonly string[]): Destination {
    if (above.includes(id)) throw new Unservable(`the backend ${id} contains itself`);
    const path = [...above, id];
    const objects = this.objects;
    const group = withId(objects.tunnel_group_backend, id);
    if (group) return one(this.#agents(id, socketOfLabels(group.labels)));
    const fixed = withId(objects.static_backend, id);
    if (fixed) {
      const at = fixed.address.lastIndexOf(":");
      return one(this.#address(fixed.address.slice(0, at).replace(/^\[|\]$/g, ""), Number(fixed.address.slice(at + 1)), fixed.tls.enabled));
    }
    const response = withId(objects.http_response_backend, id);
    if (response) {
      if (!http)
        throw new Unservable(`the backend ${id} answers with HTTP, which a TLS edge does not speak: use it on a route of an HTTPS edge`);
      return { response: answerOf(response.status_code, response.body, response.headers) };
    }
    const weighted = withId(objects.weighted_backend, id);
    if (weighted) return this.#weighted(weighted.backends, http, path);
    const failover = withId(objects.failover_backend, id);
    if (failover) return this.#failover(id, failover.backends, http, path);
    throw new Unservable(`the backend ${id} does not exist`);
  }

  #weighted(members: Readonly<Record<string, number>>, http: boolean, path: readonly string[]): Destination {
    const clusters = Object.entries(members)
      .filter(([, weight]) => weight > 0)
      .flatMap(([id, weight]) => this.#shares(id, weight, http, path));
    return clusters.length === 0 ? "nowhere" : { clusters };
  }

  /** The shares of one member; those of a weighted one in it share what it gets. */
  #shares(id: string, weight: number, http: boolean, path: readonly string[]): { name: string; weight: number }[] {
    const inner = this.#of(id, http, path);
    if (inner === "nowhere")
      throw new Unservable(`the backend ${id}, a part of a weighted one, goes nowhere: give one of its backends a weight`);
    if ("response" in inner) return [{ name: this.#answering(id, inner.response), weight }];
    if (inner.clusters.length === 1) return inner.clusters.map(({ name }) => ({ name, weight }));
    return [{ name: this.#splitting(id, inner.clusters), weight }];
  }

  #failover(id: string, members: readonly string[], http: boolean, path: readonly string[]): Destination {
    if (members.length === 0) return "nowhere";
    const names = members.map((member, index) => {
      const [share] = this.#shares(member, 1, http, path);
      const { name } = share as { name: string };
      if (name.startsWith("within ") && index < members.length - 1)
        throw new Unservable(
          `the backend ${member} cannot be followed by another in a failover backend: nothing tells when all of it is down. Put it last`,
        );
      return name;
    });
    for (const name of names) this.#check(name);
    const config = typed("envoy.extensions.clusters.aggregate.v3.ClusterConfig", { clusters: names });
    const cluster_type = { name: "envoy.clusters.aggregate", typed_config: config };
    this.#clusters.set(id, { name: id, connect_timeout: "2s", lb_policy: "CLUSTER_PROVIDED", cluster_type });
    return one(id);
  }

  /** Failover asks for the health of members; one that is such a backend itself asks for its own, and Envoy itself is always there. */
  #check(name: string): void {
    if (this.#clusters.get(name)?.lb_policy !== "CLUSTER_PROVIDED" && !this.#listeners.has(name)) this.#checked.add(name);
  }

  #agents(name: string, socket: string): string {
    const path = `${this.surroundings.sockets}/${socket}`;
    if (Buffer.byteLength(path) > LONGEST_SOCKET)
      throw new Unservable(
        `the socket ${path} has a path of more than ${LONGEST_SOCKET} bytes, which Linux cannot open: choose a shorter folder with --state`,
      );
    return this.#cluster(name, "STATIC", [{ pipe: { path } }]);
  }

  #address(host: string, port: number, tls: boolean): string {
    const isName = !/^[\d.]+$|:/.test(host);
    const name = `${tls ? "tls" : "tcp"}:${host}:${port}`;
    const address = { socket_address: { address: host, port_value: port } };
    return this.#cluster(
      name,
      isName ? "STRICT_DNS" : "STATIC",
      [address],
      tls ? { transport_socket: upstreamTls(host, this.surroundings.trust) } : {},
    );
  }

  #cluster(name: string, type: string, addresses: readonly Json[], more: Json = {}): string {
    this.#clusters.set(name, {
      name,
      type,
      connect_timeout: "5s",
      ...(type === "STRICT_DNS" ? { dns_lookup_family: "ALL" } : {}),
      circuit_breakers: { thresholds: [{ max_connections: MOST_AT_ONCE, max_pending_requests: MOST_AT_ONCE, max_requests: MOST_AT_ONCE }] },
      load_assignment: { cluster_name: name, endpoints: [{ lb_endpoints: addresses.map((address) => ({ endpoint: { address } })) }] },
      ...more,
    });
    return name;
  }

  /** A cluster that always gives the same answer, for places where only clusters may stand. */
  #answering(id: string, response: Response): string {
    const route = { match: { prefix: "/" }, ...response };
    const manager = extension("http", "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager", {
      stat_prefix: id,
      route_config: {
        name: id,
        max_direct_response_body_size_bytes: 1_048_576,
        virtual_hosts: [{ name: id, domains: ["*"], routes: [route] }],
      },
      http_filters: [extension("router", "envoy.extensions.filters.http.router.v3.Router")],
    });
    return this.#internal(`answer ${id}`, [manager]);
  }

  #splitting(id: string, clusters: readonly { name: string; weight: number }[]): string {
    const proxy = extension("tcp", "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy", {
      stat_prefix: id,
      weighted_clusters: { clusters },
    });
    return this.#internal(`within ${id}`, [proxy]);
  }

  #internal(name: string, filters: readonly Json[]): string {
    this.#listeners.set(name, { name, internal_listener: {}, filter_chains: [{ filters }] });
    return this.#cluster(name, "STATIC", [{ envoy_internal_address: { server_listener_name: name, endpoint_id: name } }]);
  }
}

const one = (name: string): Destination => ({ clusters: [{ name, weight: 1 }] });

const CHECK: Json = {
  timeout: "1s",
  interval: "1s",
  no_traffic_interval: "1s",
  unhealthy_threshold: 1,
  healthy_threshold: 1,
  tcp_health_check: {},
};
