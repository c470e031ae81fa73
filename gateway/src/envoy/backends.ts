import type { Ref } from "@tunnelplane/sdk";
import { present } from "@tunnelplane/sdk/contract";
import { BACKEND_FAULTS, DEEPEST, MAX_IN_ORDER } from "@tunnelplane/sdk/rules";
import { type Address, addressOfUrl, readAddress } from "./address";
import { answerOf, type Response } from "./answers";
import {
  answering,
  type Breaker,
  type ClusterTarget,
  checkedName,
  clusterOf,
  inOrderOf,
  splitting,
  within,
} from "./clusters";
import {
  HEALTH_SOCKET,
  type Hostport,
  MAX_SOCKET_LENGTH,
  socketOfHostport,
  socketOfLabels,
} from "./hostports";
import { withId } from "./indexes";
import type { Json } from "./json";
import { type Environment, type Objects, Unreachable, Unservable } from "./model";
import { upstreamTls } from "./tls";

interface Share {
  /** Of a cluster. */
  readonly name: string;
  readonly weight: number;
}

/** The destination of traffic: shares of it to clusters, an answer by Envoy itself, or nowhere. */
export type Destination =
  | { readonly clusters: readonly Share[] }
  | { readonly response: Response }
  | "nowhere";

/**
 * The same, inside another backend. A failover stays a list of clusters until a backend around it needs one.
 */
type Found = Destination | { readonly failover: string; readonly order: readonly string[] };

/** The socket of those agents that have bound a hostport. */
const BOUND = "agents";
/**
 * The beginning of the name of a cluster in which Envoy splits connections: it is always up, whatever is
 * behind it.
 */
const WITHIN = "within ";

interface BackendModule {
  readonly enabled: boolean;
  readonly backend: Ref;
}

/** Turns backends into clusters, each once. */
export class Backends {
  readonly #targets = new Map<string, ClusterTarget>();
  /** Clusters that others are in, in order. */
  readonly #orders = new Map<string, readonly string[]>();
  readonly #listeners = new Map<string, Json>();
  readonly #checked = new Set<string>();
  /** Of clusters that are not asked while too many requests fail. */
  readonly #breakers = new Map<string, Breaker>();
  /** The results so far, by backend: walking shared backends again each time would take exponential time. */
  readonly #found = new Map<string, Found>();
  /** The backends around the one that is looked at. */
  readonly #around = new Set<string>();

  constructor(
    private readonly objects: Objects,
    private readonly environment: Environment,
  ) {}

  get clusters(): Json[] {
    return [
      ...[...this.#targets].map(([name, target]) =>
        clusterOf(name, target, this.#checked.has(name), this.#breakers.get(name)),
      ),
      ...[...this.#orders].map(([name, order]) => inOrderOf(name, order)),
    ];
  }

  /** Listeners inside of Envoy, which clusters send to. */
  get listeners(): Json[] {
    return [...this.#listeners.values()];
  }

  /** @param http whether Envoy reads HTTP there, so that it can answer by itself */
  destination(module: BackendModule | null, hostport: Hostport, http: boolean): Destination {
    if (!module)
      return one(this.#agents(`${BOUND}:${hostport.host}:${hostport.port}`, socketOfHostport(hostport)));
    if (!module.enabled) return "nowhere";
    const found = this.#of(module.backend.id, http);
    return typeof found === "object" && "order" in found
      ? one(this.#inOrder(found.failover, found.order))
      : found;
  }

  /** Whether some of this traffic goes to agents, each of which may have another application. */
  reachesAgents(destination: Destination): boolean {
    if (destination === "nowhere" || "response" in destination) return false;
    return destination.clusters.some(({ name }) =>
      (this.#orders.get(name) ?? [name]).some((member) => this.#targets.get(member)?.health),
    );
  }

  /** The same destination in clusters of a route's own, each with a circuit breaker. */
  guarded(destination: Destination, route: string, breaker: Breaker | null | undefined): Destination {
    if (!breaker?.enabled || destination === "nowhere" || "response" in destination) return destination;
    const { clusters } = destination;
    return {
      clusters: clusters.map(({ name, weight }) => ({ name: this.#guard(name, route, breaker), weight })),
    };
  }

  #guard(name: string, route: string, breaker: Breaker): string {
    const own = `${name} of ${route}`;
    const order = this.#orders.get(name);
    if (order)
      this.#orders.set(
        own,
        order.map((member) => this.#guard(member, route, breaker)),
      );
    else {
      this.#targets.set(own, present(this.#targets.get(name)));
      if (this.#checked.has(name)) this.#checked.add(own);
      this.#breakers.set(own, breaker);
    }
    return own;
  }

  /** A cluster that speaks TLS to the host of a URL, for key sets and issuers. */
  forUrl(url: string): string {
    return this.#address(url, addressOfUrl(url), url.startsWith("https:"));
  }

  /** @throws if the gateway may not connect to the host of a URL */
  permit(url: string): void {
    const { host, port } = addressOfUrl(url);
    const found = this.environment.upstreams.find(host, port);
    if ("refused" in found) throw new Unreachable(`${url} ${found.refused}`);
  }

  #of(id: string, http: boolean): Found {
    const known = this.#found.get(`${http} ${id}`);
    if (known) return known;
    if (this.#around.has(id)) throw BACKEND_FAULTS.inItself(id);
    if (this.#around.size > DEEPEST) throw BACKEND_FAULTS.tooDeep(id);
    this.#around.add(id);
    try {
      const found = this.#read(id, http);
      this.#found.set(`${http} ${id}`, found);
      return found;
    } finally {
      this.#around.delete(id);
    }
  }

  #read(id: string, http: boolean): Found {
    const objects = this.objects;
    const group = withId(objects.tunnel_group_backend, id);
    if (group) return one(this.#agents(id, socketOfLabels(group.labels, group.project_id)));
    const fixed = withId(objects.static_backend, id);
    if (fixed) return one(this.#address(`the backend ${id}`, readAddress(fixed.address), fixed.tls.enabled));
    const response = withId(objects.http_response_backend, id);
    if (response) {
      if (!http) throw BACKEND_FAULTS.answersHttp(id);
      return { response: answerOf(response.status_code, response.body, response.headers) };
    }
    const weighted = withId(objects.weighted_backend, id);
    if (weighted) return this.#weighted(weighted.backends, http);
    const failover = withId(objects.failover_backend, id);
    if (failover) return this.#failover(id, failover.backends, http);
    const fault = objects.unreadable.get(id);
    if (fault !== undefined)
      throw new Unservable(
        `this gateway cannot read the backend ${id} (${fault}): upgrade this gateway, or declare the backend anew`,
      );
    throw BACKEND_FAULTS.missing(id);
  }

  #weighted(members: Readonly<Record<string, number>>, http: boolean): Found {
    const [first, ...others] = Object.entries(members).filter(([, weight]) => weight > 0);
    if (!first) return "nowhere";
    if (others.length === 0) return this.#of(first[0], http);
    return { clusters: [first, ...others].map(([id, weight]) => ({ name: this.#share(id, http), weight })) };
  }

  /** The cluster for a share of a weighted backend. */
  #share(id: string, http: boolean): string {
    const found = this.#of(id, http);
    if (found === "nowhere") throw BACKEND_FAULTS.weightless(id);
    return "order" in found ? this.#inOrder(found.failover, found.order) : this.#single(id, found);
  }

  /** A failover inside a failover joins its order: Envoy checks the health of single clusters only. */
  #failover(id: string, members: readonly string[], http: boolean): Found {
    const [first, ...others] = [...new Set(members)].flatMap((member) => {
      const found = this.#of(member, http);
      return found === "nowhere" ? [] : [{ member, found }];
    });
    if (!first) return "nowhere";
    if (others.length === 0) return first.found;
    const order = new Set(
      [first, ...others].flatMap(({ member, found }) =>
        "order" in found ? found.order : [this.#single(member, found)],
      ),
    );
    if (order.size > MAX_IN_ORDER) throw BACKEND_FAULTS.tooMany(id);
    return { failover: id, order: [...order] };
  }

  #inOrder(id: string, order: readonly string[]): string {
    const splitted = order.slice(0, -1).find((name) => name.startsWith(WITHIN));
    if (splitted !== undefined) throw BACKEND_FAULTS.notLast(splitted.slice(WITHIN.length));
    this.#orders.set(
      id,
      order.map((name) => this.#check(name)),
    );
    return id;
  }

  /** The same cluster with health checks. What is within Envoy is always up. */
  #check(name: string): string {
    if (this.#listeners.has(name)) return name;
    const checked = checkedName(name);
    this.#targets.set(checked, present(this.#targets.get(name)));
    this.#checked.add(checked);
    return checked;
  }

  /** One cluster for a destination where there must be exactly one. */
  #single(id: string, found: Exclude<Destination, "nowhere">): string {
    if ("response" in found) return this.#within(`answer ${id}`, answering(id, found.response));
    const [first, ...others] = found.clusters;
    return first && others.length === 0
      ? first.name
      : this.#within(`${WITHIN}${id}`, splitting(id, found.clusters));
  }

  /** A cluster that asks the gateway itself. @param socket its name in the folder of agents' sockets */
  gatewaySocket(socket: string): string {
    return this.#agents(`gateway:${socket}`, socket);
  }

  #agents(name: string, socket: string): string {
    const path = `${this.environment.sockets}/${socket}`;
    if (Buffer.byteLength(path) > MAX_SOCKET_LENGTH)
      throw new Unservable(
        `the socket ${path} has a path of more than ${MAX_SOCKET_LENGTH} bytes, which Linux cannot open: choose a shorter folder with --state`,
      );
    const health = {
      address: { pipe: { path: `${this.environment.sockets}/${HEALTH_SOCKET}` } },
      path: `/${socket}`,
    };
    return this.#cluster(name, { addresses: [{ pipe: { path } }], health });
  }

  /** @param what is there, for people */
  #address(what: string, { host, port }: Address, tls: boolean): string {
    const found = this.environment.upstreams.find(host, port);
    if ("refused" in found) throw new Unreachable(`${what} ${found.refused}`);
    return this.#cluster(`${tls ? "tls" : "tcp"}:${host}:${port}`, {
      addresses:
        "standIn" in found
          ? [{ pipe: { path: found.standIn } }]
          : found.addresses.map((address) => ({ socket_address: { address, port_value: port } })),
      ...(tls ? { transport: upstreamTls(host, this.environment.trust) } : {}),
    });
  }

  #cluster(name: string, target: ClusterTarget): string {
    this.#targets.set(name, target);
    return name;
  }

  #within(name: string, filter: Json): string {
    const { listener, address } = within(name, filter);
    this.#listeners.set(name, listener);
    return this.#cluster(name, { addresses: [address] });
  }
}

const one = (name: string) => ({ clusters: [{ name, weight: 1 }] });
