import { clusterOf } from "./clusters";
import { extension, type Json } from "./json";

/** Where Envoy reports spans, and under which name. */
export interface Tracing {
  /** The Unix socket that takes the reports. */
  readonly socket: string;
  readonly service: string;
}

const CLUSTER = "tracer";
/** Envoy also holds so many reports that were not taken yet, and drops any more. */
const MAX_CONCURRENT = 8;

/**
 * Each request is a span of its caller's trace, by W3C Trace Context, and its backend is told so. The address
 * that Envoy puts into spans is cut before the path: paths and queries hold tokens.
 */
export const traceRequests = ({ service }: Tracing): Json => ({
  provider: extension("opentelemetry", "envoy.config.trace.v3.OpenTelemetryConfig", {
    http_service: { http_uri: { uri: "http://tracer/v1/traces", cluster: CLUSTER, timeout: "5s" } },
    service_name: service,
  }),
  operation: "%REQ(:METHOD):16%",
  max_path_tag_length: 0,
});

/** Where the reports go. */
export const tracer = ({ socket }: Tracing): Json => ({
  ...clusterOf(CLUSTER, { addresses: [{ pipe: { path: socket } }], speech: "http1" }, false),
  circuit_breakers: {
    thresholds: [{ max_connections: MAX_CONCURRENT, max_pending_requests: MAX_CONCURRENT }],
  },
});
