import { type Arrivals, arrivalsBy } from "./arrivals";
import { proxyProtocol } from "./balancers";
import { countConnections } from "./counting";
import { isWildcard } from "./hostports";
import { httpManager, routesFor } from "./httpChain";
import { extension, FROM_GATEWAY, type Json, typed } from "./json";
import { byName, byNetwork, byProtocol, type Named, type OnMatch, toChain } from "./matchers";
import type { Balancers, Environment, Listen, ServerCertificate } from "./model";
import { type Chain, NOT_SERVED, type Part } from "./part";
import { admittingNothing, networkRbac } from "./rbac";
import { recordConnections } from "./recording";
import { tcpProxy } from "./tcpChain";
import { downstreamTls, HANDSHAKE, inline, tlsInspector } from "./tls";

type Listening = Pick<Environment, "challenges" | "listen" | "balancers" | "recording" | "counting">;

/**
 * Listeners for the names that are served at the ports of TLS; a connection that no chain takes is
 * closed.
 */
export function tlsListeners(
  parts: readonly Pick<Part, "hostports" | "chains">[],
  { challenges = [], listen, balancers, recording, counting }: Listening,
): Json[] {
  const arrivals = arrivalsBy(balancers);
  const ports = [...new Set(listen.map(({ port }) => port))].sort((a, b) => a - b);
  return ports.flatMap((port) => {
    const hostports = parts.flatMap((part) => part.hostports.filter((one) => one.port === port));
    const challenged = port === CHALLENGED_PORT ? challenges : [];
    if (hostports.length + challenged.length === 0) return [];
    const chains = [
      ...parts.flatMap((part) => part.chains.flatMap((one) => (one.port === port ? [one.chain] : []))),
      notServed(),
      ...challenged.map(challengeChain),
    ];
    const named = arrivals.map((_, index) =>
      hostports.map(({ host, to }): Named => ({ host, to: to[index] ?? toChain(NOT_SERVED) })),
    );
    return [
      {
        name: listenerName(port),
        ...addresses(listen.filter((one) => one.port === port)),
        ...COMMON,
        listener_filters: [...receiving(balancers), tlsInspector()],
        filter_chains: chains,
        filter_chain_matcher: matchedBy(
          arrivals,
          named.map((hosts): OnMatch => ({ matcher: byName(naming(hosts, challenged)) })),
        ),
        access_log: connectionLogs(port, { recording, counting }),
      },
    ];
  });
}

/** What Envoy reports of each connection to a port when it ends. */
export function connectionLogs(
  port: number,
  { recording, counting }: Pick<Environment, "recording" | "counting">,
): Json[] | undefined {
  const logs = [
    ...(recording ? [recordConnections(port)] : []),
    ...(counting ? [countConnections(port, counting)] : []),
  ];
  return logs.length > 0 ? logs : undefined;
}

/** For each way in which connections arrive, where they go. */
export function matchedBy(arrivals: readonly Arrivals[], to: readonly OnMatch[]): Json {
  const [first, ...others] = arrivals.map(({ only }, index) => ({ ranges: only, to: to[index] as OnMatch }));
  if (!first) return {};
  if (first.ranges.length > 0) return byNetwork("DirectSourceIPInput", [first]);
  if (others.length > 0) return byNetwork("DirectSourceIPInput", others, first.to);
  return "matcher" in first.to
    ? first.to.matcher
    : byNetwork("SourceIPInput", [{ ranges: ANYBODY, to: first.to }]);
}

const ANYBODY = ["0.0.0.0/0", "::/0"];

/** What is read before a connection finds its chain. */
export const receiving = (balancers: Balancers | undefined): Json[] =>
  balancers?.proxyProtocol ? proxyProtocol() : [];

const notServed = (): Chain => ({
  name: NOT_SERVED,
  filters: [networkRbac("refuse", admittingNothing()), tcpProxy("nowhere")],
});

/** Authorities ask at the port of HTTPS (RFC 8737 section 3). */
const CHALLENGED_PORT = 443;
const ACME_PROTOCOL = "acme-tls/1";
const challengeName = ({ names }: ServerCertificate): string => `challenge ${names.join(" ")}`;

/** Shows the certificate of a challenge to those who ask for it by ALPN. */
function challengeChain(certificate: ServerCertificate): Chain {
  const arrival = { port: CHALLENGED_PORT, by: "connection" } as const;
  return {
    name: challengeName(certificate),
    filters: [httpManager(routesFor("challenge", [], [], arrival), [], arrival)],
    transport_socket: downstreamTls(
      { minVersion: "1.2", clients: undefined },
      { tls_certificates: [inline(certificate)] },
      [ACME_PROTOCOL],
    ),
    transport_socket_connect_timeout: HANDSHAKE,
  };
}

/** A name that has a challenge, also one that only a wildcard serves, or nothing yet. */
function naming(served: readonly Named[], challenged: readonly ServerCertificate[]): readonly Named[] {
  if (challenged.length === 0) return served;
  const byHost = new Map(served.map(({ host, to }) => [host, to]));
  for (const certificate of challenged)
    for (const name of certificate.names)
      byHost.set(
        name,
        byProtocol(
          ACME_PROTOCOL,
          toChain(challengeName(certificate)),
          byHost.get(name) ?? wildcardOf(name, byHost),
        ),
      );
  return [...byHost].map(([host, to]) => ({ host, to }));
}

const wildcardOf = (name: string, byHost: ReadonlyMap<string, OnMatch>): OnMatch | undefined =>
  isWildcard(name) ? undefined : byHost.get(`*.${name.split(".").slice(1).join(".")}`);

export const listenerName = (port: number): string => `port ${port}`;

export const COMMON: Json = {
  listener_filters_timeout: "10s",
  per_connection_buffer_limit_bytes: 1_048_576,
};

const isIpv4At =
  (port: number) =>
  ({ address, bindPort }: Listen): boolean =>
    bindPort === port && !address.includes(":");

export function addresses(listen: readonly Listen[]): Json {
  const [first, ...others] = listen.map(({ address, bindPort }) => ({
    socket_address: {
      address,
      port_value: bindPort,
      // Takes callers by IPv4 too, unless an address of IPv4 listens at the port.
      ipv4_compat: (address === "::" && !listen.some(isIpv4At(bindPort))) || undefined,
    },
  }));
  return {
    address: first,
    additional_addresses: others.length > 0 ? others.map((address) => ({ address })) : undefined,
  };
}

/** Each takes Envoy memory and two descriptors. */
const MAX_CONNECTIONS = 50_000;
/** A crowd at one port leaves room for others. Envoy knows no limit for each address: firewalls do. */
export const MAX_PER_PORT = 40_000;
/** In instructions: several times what the contract allows, since RE2 counts otherwise. Envoy has 100. */
const MAX_PATTERN = 10_000;
const connectionLimit = (port: number): string =>
  `envoy.resource_limits.listener.${listenerName(port)}.connection_limit`;

/** The cluster of the gateway, in the bootstrap. */
const GATEWAY = "gateway";

/** The bootstrap of Envoy, which asks the gateway for the rest. */
export function bootstrap({
  admin,
  ads,
  id = "tunnelplane",
  ports = [443],
}: {
  /** The Unix socket of its admin interface. */
  readonly admin: string;
  /**
   * The Unix socket at which the gateway answers. Default: none, for what is served from
   * `static_resources`.
   */
  readonly ads?: string;
  readonly id?: string;
  /** The ports that hostports may name; each has a limit of connections. */
  readonly ports?: readonly number[];
}): Json {
  return {
    node: { id, cluster: "tunnelplane" },
    admin: { address: { pipe: { path: admin, mode: 0o600 } } },
    ...(ads !== undefined && asking(ads)),
    bootstrap_extensions: [
      extension(
        "envoy.bootstrap.internal_listener",
        "envoy.extensions.bootstrap.internal_listener.v3.InternalListener",
      ),
    ],
    // Envoy reads these nowhere else.
    layered_runtime: {
      layers: [
        {
          name: "limits",
          static_layer: {
            ...Object.fromEntries(ports.map((port) => [connectionLimit(port), MAX_PER_PORT])),
            "re2.max_program_size.error_level": MAX_PATTERN,
          },
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

/** How soon Envoy asks again where nothing answers; by default it waits up to 30 s. */
const AGAIN: Json = { base_interval: "0.1s", max_interval: "1s" };

const asking = (ads: string): Json => ({
  dynamic_resources: {
    ads_config: {
      api_type: "DELTA_GRPC",
      transport_api_version: "V3",
      set_node_on_first_message_only: true,
      grpc_services: [{ envoy_grpc: { cluster_name: GATEWAY, retry_policy: { retry_back_off: AGAIN } } }],
    },
    lds_config: FROM_GATEWAY,
    cds_config: FROM_GATEWAY,
  },
  static_resources: {
    clusters: [
      {
        name: GATEWAY,
        type: "STATIC",
        connect_timeout: "1s",
        load_assignment: {
          cluster_name: GATEWAY,
          endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: ads } } } }] }],
        },
        typed_extension_protocol_options: {
          "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": typed(
            "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
            { explicit_http_config: { http2_protocol_options: {} } },
          ),
        },
      },
    ],
  },
});
