import { clusterOf } from "./clusters";
import { extension, type Json } from "./json";

/** A receiver of reports from Envoy, at a Unix socket of the gateway. */
export interface Reporter {
  /** The name of the cluster. */
  readonly cluster: string;
  /** Envoy holds so many reports that were not taken yet, and drops any more. */
  readonly maxConcurrent: number;
}

/**
 * Stands between the texts of a report. Envoy takes no header that holds it, and a report with one too many
 * is not believed, so no caller can forge a neighbour. One text costs Envoy some 1 µs for
 * each request, a list of 17 some 20 µs (of 60; Envoy 1.36 on one thread).
 */
export const BETWEEN_TEXTS = "\u001f";

/** Where the reports go. */
export const reporterCluster = ({ cluster, maxConcurrent }: Reporter, socket: string): Json => ({
  ...clusterOf(cluster, { addresses: [{ pipe: { path: socket } }], speech: "http1" }, false),
  circuit_breakers: {
    thresholds: [{ max_connections: maxConcurrent, max_pending_requests: maxConcurrent }],
  },
});

/** The service that takes them, by OpenTelemetry over HTTP. */
export const reporterService = ({ cluster }: Reporter, path = ""): Json => ({
  http_uri: { uri: `http://${cluster}/${path}`, cluster, timeout: "5s" },
});

/**
 * Reports of requests or connections as one text each.
 * @param name of the log, and of its statistics
 * @param heldBytes Envoy holds so much of what it has not reported yet, for each of its threads and loggers
 */
export const textReports = (
  name: string,
  reporter: Reporter,
  heldBytes: number,
  texts: readonly (string | number | undefined)[],
): Json =>
  extension(name, "envoy.extensions.access_loggers.open_telemetry.v3.OpenTelemetryAccessLogConfig", {
    http_service: reporterService(reporter),
    log_name: name,
    stat_prefix: `${name}.`,
    disable_builtin_labels: true,
    buffer_flush_interval: "1s",
    buffer_size_bytes: heldBytes,
    body: { string_value: texts.join(BETWEEN_TEXTS) },
  });
