import type { HttpsEdgeRoutes } from "@tunnelplane/sdk";
import type { Response } from "./headerChanges";
import { extension, type Json, typed } from "./json";
import { type Speech, speaking } from "./speech";

/** Envoy's own limit of 1,024 connections to a cluster is for machines beside it. */
const MAX_CONCURRENT = 65_536;

/** The target of one cluster. */
export interface ClusterTarget {
  /** Its addresses, which are all alike: Envoy uses the first to which it can connect. */
  readonly addresses: readonly Json[];
  /** How to speak TLS with it; undefined for plain connections. */
  readonly transport?: Json;
  /** Where to ask whether it is up; undefined where connections to it tell. */
  readonly health?: { readonly address: Json; readonly path: string };
  readonly speech: Speech;
  /** Whether Envoy answers there by itself, in whichever protocol it is asked. */
  readonly answers?: true;
}

const CHECK = {
  timeout: "1s",
  interval: "1s",
  no_traffic_interval: "1s",
  unhealthy_threshold: 1,
  healthy_threshold: 1,
};
const checkOf = (health: ClusterTarget["health"]): Json =>
  health
    ? { ...CHECK, http_health_check: { host: "agents", path: health.path } }
    : { ...CHECK, tcp_health_check: {} };

export type Breaker = NonNullable<HttpsEdgeRoutes["circuit_breaker"]>;

/**
 * Where the breaker trips, every host is left out, and the cluster answers 503. Envoy looks once in each
 * window, also for whether hosts come back.
 */
function breaking(breaker: Breaker): Json {
  const { tripped_duration, rolling_window, volume_threshold, error_threshold_percentage: share } = breaker;
  const off = ["consecutive_5xx", "consecutive_gateway_failure", "success_rate"];
  return {
    // With none of its hosts left, a cluster would ask them all again.
    common_lb_config: { healthy_panic_threshold: { value: 0 } },
    outlier_detection: {
      ...Object.fromEntries(off.map((name) => [`enforcing_${name}`, 0])),
      enforcing_failure_percentage: 100,
      failure_percentage_minimum_hosts: 1,
      failure_percentage_request_volume: volume_threshold,
      failure_percentage_threshold: Math.max(1, Math.round(share <= 1 ? share * 100 : share)),
      interval: `${rolling_window}s`,
      base_ejection_time: `${tripped_duration}s`,
      max_ejection_time: `${tripped_duration}s`,
      max_ejection_percent: 100,
    },
  };
}

const CHECKED = " checked";
/** The name of the same cluster with health checks. */
export const checkedName = (name: string): string => `${name}${CHECKED}`;
/** Whether the cluster of this name, or of a route's own, has health checks. */
export const isChecked = (name: string): boolean => name.includes(CHECKED);

/** @param checked whether Envoy checks each second that it is up */
export function clusterOf(
  name: string,
  { addresses, transport, speech, health }: ClusterTarget,
  checked: boolean,
  breaker?: Breaker,
): Json {
  return {
    ...(breaker && breaking(breaker)),
    name,
    type: "STATIC",
    connect_timeout: "5s",
    circuit_breakers: {
      thresholds: [
        {
          max_connections: MAX_CONCURRENT,
          max_pending_requests: MAX_CONCURRENT,
          max_requests: MAX_CONCURRENT,
          max_retries: MAX_CONCURRENT,
        },
      ],
    },
    load_assignment: { cluster_name: name, ...endpointsOf(addresses, checked, health) },
    transport_socket: transport,
    typed_extension_protocol_options: speaking(speech),
    health_checks: checked ? [checkOf(health)] : undefined,
  };
}

/**
 * One endpoint, whose addresses Envoy tries one after the other (happy eyeballs). A health check asks only
 * the first of them (Envoy 1.40). So with a health check, each address begins an endpoint of its own; one
 * that is up is enough for all of the traffic.
 */
function endpointsOf(addresses: readonly Json[], checked: boolean, health: ClusterTarget["health"]): Json {
  const asked = checked && health ? { health_check_config: { address: health.address } } : {};
  const beginning = (first: Json): Json => {
    const others = addresses.filter((address) => address !== first).map((address) => ({ address }));
    const additional = others.length > 0 ? { additional_addresses: others } : {};
    return { endpoint: { address: first, ...additional, ...asked } };
  };
  const lb_endpoints = (checked ? addresses : addresses.slice(0, 1)).map(beginning);
  const isOneEnough =
    checked && addresses.length > 1 ? { policy: { overprovisioning_factor: 100 * addresses.length } } : {};
  return { endpoints: [{ lb_endpoints }], ...isOneEnough };
}

/** The first of these clusters that is up gets everything. */
export const inOrderOf = (name: string, clusters: readonly string[]): Json => ({
  name,
  connect_timeout: "2s",
  lb_policy: "CLUSTER_PROVIDED",
  cluster_type: {
    name: "envoy.clusters.aggregate",
    typed_config: typed("envoy.extensions.clusters.aggregate.v3.ClusterConfig", { clusters }),
  },
});

/** A listener inside of Envoy, and the address with which a cluster sends there. */
export const within = (name: string, filter: Json): { readonly listener: Json; readonly address: Json } => ({
  listener: { name, internal_listener: {}, filter_chains: [{ filters: [filter] }] },
  address: { envoy_internal_address: { server_listener_name: name, endpoint_id: name } },
});

/** A filter that always gives the same answer. */
export function answering(id: string, response: Response): Json {
  const route = { match: { prefix: "/" }, ...response };
  return extension(
    "http",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    {
      stat_prefix: id,
      // As the same answer of a route: Envoy says nothing of itself, and refuses no upgrade.
      server_header_transformation: "PASS_THROUGH",
      upgrade_configs: [{ upgrade_type: "websocket" }],
      route_config: {
        name: id,
        max_direct_response_body_size_bytes: 1_048_576,
        virtual_hosts: [{ name: id, domains: ["*"], routes: [route] }],
      },
      http_filters: [extension("router", "envoy.extensions.filters.http.router.v3.Router")],
    },
  );
}

/** A filter that gives each cluster its share of the connections. */
export const splitting = (
  id: string,
  clusters: readonly { readonly name: string; readonly weight: number }[],
): Json =>
  extension("tcp", "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy", {
    stat_prefix: id,
    weighted_clusters: { clusters },
    // Whoever sends there has a limit of his own.
    idle_timeout: "86400s",
  });
