import type { TlsEdge } from "@tunnelplane/sdk";
import { type Action, all, type Condition, conditionsOf, not, onlyLogs } from "@tunnelplane/sdk/rules";
import type { Destination } from "./backends";
import { extension, type Json, typed } from "./json";
import { bucketOf } from "./limits";
import { type Objects, Unservable } from "./model";
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
  // A cluster that is not there ends the connection.
  const to =
    clusters.length > 1 ? { weighted_clusters: { clusters } } : { cluster: clusters[0]?.name ?? "nowhere" };
  return extension("tcp", "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy", {
    stat_prefix: "tcp",
    ...to,
    access_log: logs.length > 0 ? [accessLog(logs)] : undefined,
  });
}

function policyFilters(edge: TlsEdge): { filters: Json[]; logs: unknown[] } {
  const filters: Json[] = [];
  const logs: unknown[] = [];
  if (!edge.policies?.enabled) return { filters, logs };
  for (const policy of [...edge.policies.inbound, ...edge.policies.outbound.map(onlyLogs)]) {
    const when = conditionsOf(policy);
    for (const [index, action] of policy.actions.entries()) {
      if (when === false) continue;
      if (action.type === "deny") filters.push(denying(when, `deny ${filters.length}.${index}`));
      else if (when !== true)
        throw new Unservable(
          `the policy ${JSON.stringify(policy.name)} has expressions and the action ${action.type}; on a TLS edge only deny may be conditional`,
        );
      else if (action.type === "log") logs.push(action.config.metadata ?? {});
      else if (action.type === "rate-limit")
        filters.push(limiting(action, `limit ${filters.length}.${index}`));
      else
        throw new Unservable(
          `the action ${action.type} works on requests, which a TLS edge does not read: use a route of an HTTPS edge`,
        );
    }
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

function limiting({ config }: Action, name: string): Json {
  if (config.bucket_key !== undefined)
    throw new Unservable(
      "a rate-limit of a TLS edge has a bucket_key; connections are counted all together there",
    );
  return extension(name, "envoy.extensions.filters.network.local_ratelimit.v3.LocalRateLimit", {
    stat_prefix: "limit",
    token_bucket: bucketOf(config),
  });
}

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
