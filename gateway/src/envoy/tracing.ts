import { extension, type Json } from "./json";
import { reporterCluster, reporterService } from "./reporting";

/** Where Envoy reports spans, and under which name. */
export interface Tracing {
  /** The Unix socket that takes the reports. */
  readonly socket: string;
  readonly service: string;
}

const REPORTER = { cluster: "tracer", maxConcurrent: 8 };

/**
 * Each request is a span of its caller's trace, by W3C Trace Context, and its backend is told so. The address
 * that Envoy puts into spans is cut before the path: paths and queries hold tokens.
 */
export const traceRequests = ({ service }: Tracing): Json => ({
  provider: extension("opentelemetry", "envoy.config.trace.v3.OpenTelemetryConfig", {
    http_service: reporterService(REPORTER, "v1/traces"),
    service_name: service,
  }),
  operation: "%REQ(:METHOD):16%",
  max_path_tag_length: 0,
});

/** Where the reports go. */
export const tracer = ({ socket }: Tracing): Json => reporterCluster(REPORTER, socket);
