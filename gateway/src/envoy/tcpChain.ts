import type { TlsEdge } from "@tunnelplane/sdk";
import { all, type Condition, connectionSteps, type Limit, not } from "@tunnelplane/sdk/rules";
import type { Destination } from "./backends";
import { extension, type Json, typed } from "./json";
import { bucketOf } from "./limits";
import type { Objects } from "./model";
import { networksOf } from "./networks";
import { connectionPredicate } from "./predicate";
import { admitting, networkRbac } from "./rbac";

/** The filters for connections of a TLS edge, after the SNI matched. */
export function tcpFilters(edge: TlsEdge, destination: Destination, objects: Objects): Json[] {
  const networks = networksOf(edge.ip_restriction, objects);
  const { filters, logs } = policyFilters(edge);
  return [
    ...(networks ? [networkRbac("networks", admitting([], [networks]))] : []),
    ...filters,
    tcpProxy(destination, logs),
  ];
}

export function tcpProxy(destination: Destination, logs: readonly unknown[] = []): Json {
  if (destination !== "nowhere" && "response" in destination)
    throw new Error("A TLS edge answers nothing by itself");
  const clusters = destination === "nowhere" ? [] : destination.clusters;
  // A cluster that does not exist ends the connection.
  const to =
    clusters.length > 1 ? { weighted_clusters: { clusters } } : { cluster: clusters[0]?.name ?? "nowhere" };
  return extension("tcp", "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy", {
    stat_prefix: "tcp",
    ...to,
    access_log: logs.length > 0 ? [accessLog(logs)] : undefined,
  });
}

function policyFilters({ policies }: TlsEdge): { filters: Json[]; logs: unknown[] } {
  const filters: Json[] = [];
  const logs: unknown[] = [];
  for (const { type, when, config, index } of policies?.enabled ? connectionSteps(policies) : []) {
    const place = `${filters.length}.${index}`;
    if (type === "log") logs.push(config.metadata ?? {});
    else filters.push(type === "deny" ? denying(when, `deny ${place}`) : limiting(config, `limit ${place}`));
  }
  return { filters, logs };
}

function denying(when: Condition, name: string): Json {
  const allow = {
    action: extension("allow", "envoy.config.rbac.v3.Action", { name: "others", action: "ALLOW" }),
  };
  // No match means deny.
  if (when === true) return networkRbac(name, { rules: { action: "ALLOW" } });
  const predicate = connectionPredicate(all([not(when)]));
  return networkRbac(name, { matcher: { matcher_list: { matchers: [{ predicate, on_match: allow }] } } });
}

const limiting = (config: Limit["config"], name: string): Json =>
  extension(name, "envoy.extensions.filters.network.local_ratelimit.v3.LocalRateLimit", {
    stat_prefix: "limit",
    token_bucket: bucketOf(config),
  });

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
