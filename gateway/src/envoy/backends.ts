import type { Ref } from "@tunnelplane/sdk";
import { present } from "@tunnelplane/sdk/contract";
import { BACKEND_FAULTS, MAX_IN_ORDER, MAX_NESTED } from "@tunnelplane/sdk/rules";
import { type Address, addressOfUrl, readAddress } from "./address";
import { ClusterSet } from "./clusterSet";
import { answering, type Breaker, splitting } from "./clusters";
import { answerOf, type Response } from "./headerChanges";
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
import { type Protocol, type Speech, speechOf, type Traits, traitsOfAll, type Use } from "./speech";
import { upstreamTls } from "./tls";

interface Share {
  /** Of a cluster. */
  readonly name: string;
  readonly weight: number;
}

/** The destination of traffic: shares of it to clusters, an answer by Envoy itself, or nowhere. */
export type Destination =
  | { readonly clusters: readonly Share[]; readonly traits: Traits | undefined }
  | { readonly response: Response }
  | "nowhere";

/**
 * The same, inside another backend. A failover stays a list of clusters until a backend around it needs one.
 */
type Found =
  | Destination
  | { readonly failover: string; readonly order: readonly string[]; readonly traits: Traits | undefined };

/** The socket of those agents that have bound a hostport. */
const BOUND = "agents";
/** The beginning of the name of a cluster in which Envoy splits connections. */
const WITHIN = "within ";

interface BackendModule {
  readonly enabled: boolean;
  readonly backend: Ref;
}

/** What a backend, or an agent without one, says about itself. */
interface Spoken {
  readonly protocol?: Protocol;
  readonly idle_timeout?: number;
}
/** As in the contract. Hostports that agents bind without a backend have no fields for it. */
const traitsOf = ({ protocol = "auto", idle_timeout = DEFAULT_IDLE }: Spoken): Traits => ({
  protocol,
  idle: idle_timeout,
});
/** In seconds; Envoy's own for requests, too. */
export const DEFAULT_IDLE = 300;

type ToClusters = Extract<Destination, { readonly clusters: unknown }>;
export const isSingle = (to: Destination): to is ToClusters =>
  typeof to === "object" && "clusters" in to && to.clusters.length === 1;

export const traitsIn = (found: Found): Traits | undefined =>
  typeof found === "object" && "traits" in found ? found.traits : undefined;

/** Turns backends into clusters, each once. */
export class Backends {
  readonly #set = new ClusterSet();
  /** The weighted backends behind clusters inside of Envoy. */
  readonly #split = new Map<string, string>();
  /** The results so far, by backend: walking shared backends again each time would take exponential time. */
  readonly #found = new Map<string, Found>();
  /** The backends around the one that is looked at. */
  readonly #around = new Set<string>();

  constructor(
    private readonly objects: Objects,
    private readonly environment: Environment,
  ) {}

  get clusters(): Json[] {
    return this.#set.clusters;
  }

  get listeners(): Json[] {
    return this.#set.listeners;
  }

  destination(module: BackendModule | null, hostport: Hostport, use: Use): Destination {
    if (!module) {
      const name = `${BOUND}:${hostport.host}:${hostport.port}`;
      return this.#agents(name, socketOfHostport(hostport), {}, use);
    }
    if (!module.enabled) return "nowhere";
    const found = this.#of(module.backend.id, use);
    if (typeof found !== "object" || !("order" in found)) return found;
    return { ...one(this.#inOrder(found.failover, found.order)), traits: found.traits };
  }

  /** The same single cluster by a name that may stay when the backend moves. */
  renamed({ clusters, traits }: ToClusters, name: string): Destination {
    return { ...one(this.#set.rename(present(clusters[0]).name, name)), traits };
  }

  /** Whether some of this traffic goes to agents, each of which may have another application. */
  reachesAgents(destination: Destination): boolean {
    if (destination === "nowhere" || "response" in destination) return false;
    return destination.clusters.some(({ name }) => this.#set.hasHealth(name));
  }

  /** The same destination in clusters of a route's own, each with a circuit breaker. */
  guarded(destination: Destination, route: string, breaker: Breaker | null | undefined): Destination {
    if (!breaker?.enabled || destination === "nowhere" || "response" in destination) return destination;
    const { clusters } = destination;
    return {
      ...destination,
      clusters: clusters.map(({ name, weight }) => ({ name: this.#set.guard(name, route, breaker), weight })),
    };
  }

  /** A cluster that speaks TLS to the host of a URL, for key sets and issuers. */
  forUrl(url: string): string {
    return this.#address(url, addressOfUrl(url), url.startsWith("https:"), "http1");
  }

  /** @throws if the gateway may not connect to the host of a URL */
  permit(url: string): void {
    const { host, port } = addressOfUrl(url);
    const found = this.environment.upstreams.find(host, port);
    if ("refused" in found) throw new Unreachable(`${url} ${found.refused}`);
  }

  #of(id: string, use: Use): Found {
    const known = this.#found.get(`${use} ${id}`);
    if (known) return known;
    if (this.#around.has(id)) throw BACKEND_FAULTS.inItself(id);
    if (this.#around.size > MAX_NESTED) throw BACKEND_FAULTS.tooDeep(id);
    this.#around.add(id);
    try {
      const found = this.#read(id, use);
      this.#found.set(`${use} ${id}`, found);
      return found;
    } finally {
      this.#around.delete(id);
    }
  }

  #read(id: string, use: Use): Found {
    const objects = this.objects;
    const group = withId(objects.tunnel_group_backend, id);
    if (group) return this.#agents(id, socketOfLabels(group.labels, group.project_id), group, use);
    const fixed = withId(objects.static_backend, id);
    if (fixed) {
      const { enabled } = fixed.tls;
      const speech = speechOf(fixed.protocol, enabled, use);
      const name = this.#address(`the backend ${id}`, readAddress(fixed.address), enabled, speech);
      return { ...one(name), traits: traitsOf(fixed) };
    }
    const response = withId(objects.http_response_backend, id);
    if (response) {
      if (use === "connections") throw BACKEND_FAULTS.answersHttp(id);
      return { response: answerOf(response.status_code, response.body, response.headers) };
    }
    const weighted = withId(objects.weighted_backend, id);
    if (weighted) return this.#weighted(weighted.backends, use);
    const failover = withId(objects.failover_backend, id);
    if (failover) return this.#failover(id, failover.backends, use);
    const fault = objects.unreadable.get(id);
    if (fault !== undefined)
      throw new Unservable(
        `this gateway cannot read the backend ${id} (${fault}): upgrade this gateway, or declare the backend anew`,
      );
    throw BACKEND_FAULTS.missing(id);
  }

  #weighted(members: Readonly<Record<string, number>>, use: Use): Found {
    const [first, ...others] = Object.entries(members).filter(([, weight]) => weight > 0);
    if (!first) return "nowhere";
    if (others.length === 0) return this.#of(first[0], use);
    const all = [first, ...others].map(([id, weight]) => ({ ...this.#share(id, use), weight }));
    return {
      clusters: all.map(({ name, weight }) => ({ name, weight })),
      traits: traitsOfAll(all.map(({ traits }) => traits)),
    };
  }

  /** The cluster for a share of a weighted backend. */
  #share(id: string, use: Use): { readonly name: string; readonly traits: Traits | undefined } {
    const found = this.#of(id, use);
    if (found === "nowhere") throw BACKEND_FAULTS.weightless(id);
    const name = "order" in found ? this.#inOrder(found.failover, found.order) : this.#single(id, found, use);
    return { name, traits: traitsIn(found) };
  }

  /** A failover inside a failover joins its order: Envoy checks the health of single clusters only. */
  #failover(id: string, members: readonly string[], use: Use): Found {
    const [first, ...others] = [...new Set(members)].flatMap((member) => {
      const found = this.#of(member, use);
      return found === "nowhere" ? [] : [{ member, found }];
    });
    if (!first) return "nowhere";
    if (others.length === 0) return first.found;
    const all = [first, ...others];
    const order = new Set(
      all.flatMap(({ member, found }) =>
        "order" in found ? found.order : [this.#single(member, found, use)],
      ),
    );
    if (order.size > MAX_IN_ORDER) throw BACKEND_FAULTS.tooMany(id);
    return { failover: id, order: [...order], traits: traitsOfAll(all.map(({ found }) => traitsIn(found))) };
  }

  #inOrder(id: string, order: readonly string[]): string {
    const splitted = order.slice(0, -1).flatMap((name) => this.#split.get(name) ?? []);
    if (splitted[0] !== undefined) throw BACKEND_FAULTS.notLast(splitted[0]);
    return this.#set.addOrder(id, order);
  }

  /** One cluster for a destination where there must be exactly one. */
  #single(id: string, found: Exclude<Destination, "nowhere">, use: Use): string {
    if ("response" in found)
      return this.#set.addWithin(`answer ${id}`, answering(id, found.response), {
        speech: "http1",
        answers: true,
      });
    const [first, ...others] = found.clusters;
    if (first && others.length === 0) return first.name;
    const name = this.#splitting(id, found.clusters, use);
    this.#split.set(name, id);
    return name;
  }

  /** Bytes are shared out there, so all members get the same protocol. */
  #splitting(id: string, clusters: readonly Share[], use: Use): string {
    const speech = this.#set.speech(clusters.map(({ name }) => name));
    if (speech === "mixed" && use === "requests") throw BACKEND_FAULTS.mixed(id);
    return this.#set.addWithin(`${WITHIN}${id}`, splitting(id, clusters), {
      speech: speech === "http2" ? speech : "http1",
    });
  }

  /** A cluster that asks the gateway itself. @param socket its name in the folder of agents' sockets */
  gatewaySocket(socket: string): string {
    return this.#socket(`gateway:${socket}`, socket, "http1");
  }

  #agents(name: string, socket: string, spoken: Spoken, use: Use) {
    const speech = speechOf(spoken.protocol, false, use);
    return { ...one(this.#socket(name, socket, speech)), traits: traitsOf(spoken) };
  }

  #socket(name: string, socket: string, speech: Speech): string {
    const path = `${this.environment.sockets}/${socket}`;
    if (Buffer.byteLength(path) > MAX_SOCKET_LENGTH)
      throw new Unservable(
        `the socket ${path} has a path of more than ${MAX_SOCKET_LENGTH} bytes, which Linux cannot open: choose a shorter folder with --state`,
      );
    const health = {
      address: { pipe: { path: `${this.environment.sockets}/${HEALTH_SOCKET}` } },
      path: `/${socket}`,
    };
    return this.#set.add(name, { addresses: [{ pipe: { path } }], speech, health });
  }

  /** @param what is there, for people */
  #address(what: string, { host, port }: Address, tls: boolean, speech: Speech): string {
    const found = this.environment.upstreams.find(host, port);
    if ("refused" in found) throw new Unreachable(`${what} ${found.refused}`);
    return this.#set.add(`${tls ? "tls" : "tcp"}:${host}:${port}`, {
      speech,
      addresses:
        "standIn" in found
          ? [{ pipe: { path: found.standIn } }]
          : found.addresses.map((address) => ({ socket_address: { address, port_value: port } })),
      ...(tls ? { transport: upstreamTls(host, this.environment.trust, speech) } : {}),
    });
  }
}

const one = (name: string) => ({ clusters: [{ name, weight: 1 }] });
