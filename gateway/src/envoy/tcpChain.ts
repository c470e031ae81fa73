import type { TcpEdge, TlsEdge } from "@tunnelplane/sdk";
import { type ConnectionStep, connectionSteps } from "@tunnelplane/sdk/rules";
import { DEFAULT_IDLE, type Destination, traitsIn } from "./backends";
import { countTunnels, TUNNEL_ENDS } from "./counting";
import { type Gate, gateOf } from "./gate";
import type { Hostport } from "./hostports";
import { extension, type Json, typed } from "./json";
import { bucketOf } from "./limits";
import type { Environment, Objects } from "./model";
import { everywhereIn, rulesOf } from "./networks";
import type { Protocol } from "./speech";

/** The way of a hostport's connections: whom it admits, and where they go. */
export interface Passage {
  /** Absent if everybody is admitted. */
  readonly gate: Gate | undefined;
  /** For those who are admitted. */
  readonly filters: readonly Json[];
  /** For all others. */
  readonly refusing: readonly Json[];
  /** Of the backends. */
  readonly protocol: Protocol;
}

/** The passage of a TLS or TCP edge; over TLS, after the name matched. */
export function passageOf(
  kind: "tls_edge" | "tcp_edge",
  edge: TlsEdge | TcpEdge,
  hostport: Hostport,
  destination: Destination,
  objects: Objects,
  { counting }: Pick<Environment, "counting"> = {},
): Passage {
  const { policies } = edge;
  const steps = policies?.enabled ? connectionSteps(policies, kind, hostport.host) : [];
  const logs = steps.flatMap(({ type, config }) => (type === "log" ? [config.metadata ?? {}] : []));
  return {
    gate: gateOf(rulesOf(edge.ip_restriction, objects), steps, everywhereIn(objects)),
    filters: [
      ...steps.flatMap(limiting),
      tcpProxy(destination, logs, counting && countTunnels(hostport.port)),
    ],
    refusing: [tcpProxy("nowhere", logs)],
    protocol: traitsIn(destination)?.protocol ?? "auto",
  };
}

/** @param counts what Envoy reports of connections besides */
export function tcpProxy(
  destination: Destination,
  logs: readonly unknown[] = [],
  counts?: ReturnType<typeof countTunnels>,
): Json {
  if (destination !== "nowhere" && "response" in destination)
    throw new Error("An edge for connections answers nothing by itself");
  const clusters = destination === "nowhere" ? [] : destination.clusters;
  // A cluster that does not exist ends the connection.
  const to =
    clusters.length > 1 ? { weighted_clusters: { clusters } } : { cluster: clusters[0]?.name ?? "nowhere" };
  const declared = logs.length > 0 ? [{ ...accessLog(logs), ...(counts && { filter: AT_THE_END }) }] : [];
  const allLogs = [...declared, ...(counts ? [counts.access_log] : [])];
  return extension("tcp", "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy", {
    stat_prefix: "tcp",
    ...to,
    idle_timeout: destination === "nowhere" ? undefined : `${traitsIn(destination)?.idle ?? DEFAULT_IDLE}s`,
    access_log: allLogs.length > 0 ? allLogs : undefined,
    access_log_options: counts?.access_log_options,
  });
}

const limiting = ({ type, config, index }: ConnectionStep, at: number): Json[] =>
  type === "rate-limit"
    ? [
        extension(
          `limit ${at}.${index}`,
          "envoy.extensions.filters.network.local_ratelimit.v3.LocalRateLimit",
          { stat_prefix: "limit", token_bucket: bucketOf(config) },
        ),
      ]
    : [];

/** Counts are reported more often. */
const AT_THE_END: Json = { log_type_filter: { types: [TUNNEL_ENDS] } };

const accessLog = (logs: readonly unknown[]): Json => ({
  name: "log",
  typed_config: typed("envoy.extensions.access_loggers.stream.v3.StdoutAccessLog", {
    log_format: {
      json_format: {
        time: "%START_TIME%",
        client: "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%",
        host: "%REQUESTED_SERVER_NAME%",
        sent: "%BYTES_SENT%",
        received: "%BYTES_RECEIVED%",
        milliseconds: "%DURATION%",
        metadata: JSON.stringify(logs).replaceAll("%", "%%"),
      },
    },
  }),
});
