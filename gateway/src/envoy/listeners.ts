import { escapeRegex } from "@tunnelplane/sdk/rules";
import { closingLocal, inBothForms, proxyProtocol } from "./balancers";
import type { By } from "./callerHeaders";
import { httpManager } from "./httpChain";
import { addTo, grouped } from "./indexes";
import { extension, type Json } from "./json";
import type { Balancers, Environment, Listen, ServerCertificate } from "./model";
import { type Hostport, isWildcard, shortHash, wildcardsAbove } from "./names";
import { cidrRange, rangeAsWritten } from "./networks";
import { admittingNothing, networkRbac } from "./rbac";
import { HTTP_CHAIN, REFUSED_CHAIN, type Recording, recordConnections, TLS_CHAIN } from "./recording";
import type { ChainRequirements } from "./routes";
import { type Passage, tcpProxy } from "./tcpChain";
import { downstreamTls, tlsInspector } from "./tls";

/** A hostport of an edge that was understood. */
export type Front = HttpsFront | TlsFront | TcpFront;

interface HttpsFront {
  readonly kind: "https_edge";
  readonly hostport: Hostport;
  readonly transport: Json | undefined;
  readonly virtualHost: Json;
  readonly requirements: readonly ChainRequirements[];
  /** The reasons for which some of its routes are refused. */
  readonly refusals: readonly string[];
}

/** Passes on what is in TLS. */
interface TlsFront extends Passage {
  readonly kind: "tls_edge";
  readonly hostport: Hostport;
  /** Undefined if TLS ends upstream. */
  readonly transport: Json | undefined;
}

/** Passes on all of a port. */
interface TcpFront extends Passage {
  readonly kind: "tcp_edge";
  readonly hostport: Hostport;
}

type Places = Pick<Environment, "challenges" | "listen" | "tcpListen" | "balancers" | "recording">;

/** A listener for each port. */
export const listenersOf = (
  fronts: readonly Front[],
  refused: readonly Hostport[],
  places: Places,
): Json[] => [
  ...tlsListeners(
    fronts.filter((front) => front.kind !== "tcp_edge"),
    refused,
    places,
  ),
  ...fronts.flatMap((front) => (front.kind === "tcp_edge" ? [tcpListener(front, places)] : [])),
];

/** Chains for the names that are served at a port, and one that refuses the others. */
function tlsListeners(
  fronts: readonly (HttpsFront | TlsFront)[],
  refused: readonly Hostport[],
  { challenges = [], listen, balancers, recording }: Places,
): Json[] {
  const arrivals = arrivalsBy(balancers);
  const ports = [...new Set(listen.map(({ port }) => port))].sort((a, b) => a - b);
  return ports.flatMap((port) => {
    const here = fronts.filter(({ hostport }) => hostport.port === port);
    const closed = refused.filter((hostport) => hostport.port === port).map(({ host }) => host);
    const hosts = [...here.map(({ hostport }) => hostport.host), ...closed];
    const challenged = port === CHALLENGED_PORT ? challenges : [];
    if (hosts.length + challenged.length === 0) return [];
    const chains = [
      ...arrivals.flatMap((arrival) => httpChains(here, hosts, port, arrival, recording)),
      ...here.flatMap((front) => (front.kind === "tls_edge" ? tlsChains(front, arrivals[0]) : [])),
      ...refusing(closed, arrivals[0]),
    ];
    return [
      {
        name: listenerName(port),
        ...addresses(listen.filter((one) => one.port === port)),
        ...COMMON,
        listener_filters: [...(balancers?.proxyProtocol ? proxyProtocol() : []), tlsInspector()],
        filter_chains: [
          ...naming(chains, hosts, challenged),
          ...challenged.map((one) => challengeChain(one, arrivals[0])),
        ],
        access_log: recording ? [recordConnections(port)] : undefined,
      },
    ];
  });
}

/** Authorities ask at the port of HTTPS (RFC 8737 section 3). */
const CHALLENGED_PORT = 443;
const ACME_PROTOCOL = "acme-tls/1";

/** Shows the certificate of a challenge to those who ask for it by ALPN. */
function challengeChain(certificate: ServerCertificate, arrivals: Arrivals): Json {
  const { names } = certificate;
  return chain(
    `challenge ${names.join(" ")}`,
    names,
    [httpManager([], [], [], { port: CHALLENGED_PORT, by: "connection" })],
    { application_protocols: [ACME_PROTOCOL], ...matchOf(arrivals) },
    downstreamTls({ minVersion: "1.2", clients: undefined }, certificate, [ACME_PROTOCOL]),
  );
}

/**
 * Envoy looks for the closest name first, and then at ALPN alone. So a name that only a wildcard serves
 * stands
 * beside that wildcard, while the name has a challenge.
 */
function naming(
  chains: readonly Chain[],
  hosts: readonly string[],
  challenged: readonly ServerCertificate[],
): Chain[] {
  const names = challenged.flatMap((one) => one.names).filter((name) => !hosts.includes(name));
  return chains.map((one) => {
    const { filter_chain_match: match } = one;
    const more = names.filter((name) => match.server_names.includes(wildcardOver(name)));
    return more.length === 0
      ? one
      : { ...one, filter_chain_match: { ...match, server_names: [...match.server_names, ...more] } };
  });
}

const wildcardOver = (name: string): string => `*.${name.split(".").slice(1).join(".")}`;

/** Connections say no name, so all of the port is one edge's. */
function tcpListener(
  { hostport: { port }, ...passage }: TcpFront,
  { tcpListen = [], balancers }: Places,
): Json {
  const limit = extension(
    "limit of the port",
    "envoy.extensions.filters.network.connection_limit.v3.ConnectionLimit",
    { stat_prefix: "limit_of_port", max_connections: MAX_PER_PORT },
  );
  const [arrivals] = arrivalsBy(balancers);
  return {
    name: `tcp ${listenerName(port)}`,
    ...addresses(tcpListen.filter((one) => one.port === port)),
    ...COMMON,
    listener_filters: balancers?.proxyProtocol ? proxyProtocol() : undefined,
    filter_chains: gated(passage, (name, filters, sources) => ({
      name,
      filter_chain_match: matchOf(arrivals, sources),
      filters: [...closing(arrivals), limit, ...filters],
    })),
  };
}

/** The chain of those who are admitted, and the one of all others, who find nothing. */
function gated<C extends Json>(
  { gate, filters, refusing }: Passage,
  chain: (name: "admitted" | "refused", filters: readonly Json[], sources?: readonly string[]) => C,
): C[] {
  if (!gate) return [chain("admitted", filters)];
  const { admitted, refused } = gate;
  return [
    ...(admitted.length > 0 ? [chain("admitted", filters, admitted)] : []),
    chain("refused", refusing, refused),
  ];
}

/** @param sources the networks of callers */
const matchOf = ({ only, by }: Arrivals, sources: readonly string[] = []): Json => ({
  direct_source_prefix_ranges: only.length === 0 ? undefined : only.map(cidrRange),
  source_prefix_ranges:
    sources.length === 0
      ? undefined
      : (by === "proxy protocol" ? inBothForms(sources) : sources).map(rangeAsWritten),
});

/** Closes what no caller makes, before any other filter. */
const closing = ({ by }: Arrivals): Json[] => (by === "proxy protocol" ? [closingLocal()] : []);

const listenerName = (port: number): string => `port ${port}`;

/** A chain's callers: those who connect from these networks; or without networks, everybody else. */
interface Arrivals {
  readonly only: readonly string[];
  readonly by: By;
}

/** TLS edges use the first one, because they do not read X-Forwarded-For. */
function arrivalsBy(balancers: Balancers | undefined): readonly [Arrivals, ...Arrivals[]] {
  if (balancers?.proxyProtocol) return [{ only: balancers.networks, by: "proxy protocol" }];
  const anybody: Arrivals = { only: [], by: "connection" };
  return balancers ? [anybody, { only: balancers.networks, by: "forwarded" }] : [anybody];
}

/** From the end of the ClientHello on; what comes before it has `listener_filters_timeout`. */
const HANDSHAKE = "15s";
const COMMON: Json = { listener_filters_timeout: "10s", per_connection_buffer_limit_bytes: 1_048_576 };

function addresses(listen: readonly Listen[]): Json {
  const [first, ...others] = listen.map(({ address, bindPort }) => ({
    socket_address: { address, port_value: bindPort },
  }));
  return {
    address: first,
    additional_addresses: others.length > 0 ? others.map((address) => ({ address })) : undefined,
  };
}

/** Edges with the same checks before routing share a chain; the Host header chooses among them. */
function httpChains(
  here: readonly (HttpsFront | TlsFront)[],
  hosts: readonly string[],
  port: number,
  arrivals: Arrivals,
  recording: Recording | undefined,
): Chain[] {
  const { by } = arrivals;
  const shared = new Map<string, HttpsFront[]>();
  for (const front of here) {
    if (front.kind !== "https_edge") continue;
    const key = shortHash(JSON.stringify(front.transport));
    addTo(shared, key, front);
  }
  const below = grouped(hosts, wildcardsAbove);
  return [...shared].map(([key, fronts]) => {
    const own = fronts.map(({ hostport }) => hostport.host).sort();
    const ours = new Set(own);
    const strangers = own.flatMap((host) => below.get(host) ?? []).filter((host) => !ours.has(host));
    const sorted = [...fronts].sort((a, b) => (a.hostport.host < b.hostport.host ? -1 : 1));
    const manager = httpManager(
      sorted.map(({ virtualHost }) => virtualHost),
      [...new Set(strangers)].sort(),
      sorted.flatMap(({ requirements }) => requirements),
      { port, by },
      recording,
    );
    return chain(
      `${HTTP_CHAIN}${key}${by === "forwarded" ? " through a balancer" : ""}`,
      own,
      [...closing(arrivals), manager],
      matchOf(arrivals),
      fronts[0]?.transport,
    );
  });
}

function tlsChains({ hostport: { host }, transport, ...passage }: TlsFront, arrivals: Arrivals): Chain[] {
  return gated(passage, (name, filters, sources) =>
    chain(
      `${name === "admitted" ? TLS_CHAIN : REFUSED_CHAIN}${host}`,
      [host],
      [...closing(arrivals), ...filters],
      matchOf(arrivals, sources),
      transport,
    ),
  );
}

const refusing = (hosts: readonly string[], arrivals: Arrivals): Chain[] =>
  hosts.length === 0
    ? []
    : [
        chain(
          "not served",
          [...hosts].sort(),
          [networkRbac("refuse", admittingNothing()), tcpProxy("nowhere")],
          matchOf(arrivals),
          undefined,
        ),
      ];

interface Chain extends Json {
  readonly filter_chain_match: Json & { readonly server_names: readonly string[] };
}

/** A connection that no chain takes is closed. */
function chain(
  name: string,
  hosts: readonly string[],
  filters: readonly Json[],
  match: Json,
  transport: Json | undefined,
): Chain {
  return {
    name,
    filter_chain_match: {
      server_names: hosts,
      transport_protocol: "tls",
      ...match,
    },
    filters: [...(hosts.some(isWildcard) ? [onlyNames(hosts)] : []), ...filters],
    transport_socket: transport,
    transport_socket_connect_timeout: transport && HANDSHAKE,
  };
}

/** A wildcard covers one label; Envoy's covers any number. */
function onlyNames(hosts: readonly string[]): Json {
  const rules = hosts.map((host) => ({
    requested_server_name: isWildcard(host)
      ? { safe_regex: { regex: `[^.]+${escapeRegex(host.slice(1))}` } }
      : { exact: host },
  }));
  const policies = { names: { permissions: [{ or_rules: { rules } }], principals: [{ any: true }] } };
  return networkRbac("names", { rules: { action: "ALLOW", policies } });
}

/** Each takes Envoy memory and two descriptors. */
const MAX_CONNECTIONS = 50_000;
/** A crowd at one port leaves room for others. Envoy knows no limit for each address: firewalls do. */
const MAX_PER_PORT = 40_000;
const connectionLimit = (port: number): string =>
  `envoy.resource_limits.listener.${listenerName(port)}.connection_limit`;

/** The bootstrap of Envoy; the rest comes from two files that Envoy watches. */
export function bootstrap({
  folder,
  admin,
  id = "tunnelplane",
  ports = [443],
}: {
  readonly folder: string;
  readonly admin: string;
  readonly id?: string;
  /** The ports that hostports may name; each has a limit of connections. */
  readonly ports?: readonly number[];
}): Json {
  // Names no directory to watch: with one, Envoy would read both files when either changes.
  const file = (name: string): Json => ({
    path_config_source: { path: `${folder}/${name}` },
    resource_api_version: "V3",
    initial_fetch_timeout: "10s",
  });
  return {
    node: { id, cluster: "tunnelplane" },
    admin: { address: { pipe: { path: admin, mode: 0o600 } } },
    dynamic_resources: { lds_config: file("lds.json"), cds_config: file("cds.json") },
    bootstrap_extensions: [
      extension(
        "envoy.bootstrap.internal_listener",
        "envoy.extensions.bootstrap.internal_listener.v3.InternalListener",
      ),
    ],
    // Envoy reads the limit of a listener nowhere else.
    layered_runtime: {
      layers: [
        {
          name: "limits",
          static_layer: Object.fromEntries(ports.map((port) => [connectionLimit(port), MAX_PER_PORT])),
        },
      ],
    },
    overload_manager: {
      resource_monitors: [
        extension(
          "envoy.resource_monitors.global_downstream_max_connections",
          "envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig",
          {
            max_active_downstream_connections: MAX_CONNECTIONS,
          },
        ),
      ],
    },
  };
}
