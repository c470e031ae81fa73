import { clusterOf } from "./clusters";
import { extension, type Json } from "./json";
import { BETWEEN_TEXTS } from "./recording";

/** Where Envoy reports requests and connections, to be counted by hostport and logged. */
export interface Counting {
  /** The Unix socket that takes the reports. */
  readonly socket: string;
  /** Whether they have what an access log shows, too. */
  readonly isLogged: boolean;
}

/** The first text of a report, before the port that hostports name. */
export const [COUNTED_REQUEST, COUNTED_TUNNEL, COUNTED_CONNECTION] = ["r", "t", "c"];

/** What is counted of a request. `-` stands for a missing value. */
export const COUNTED_OF_REQUEST = {
  name: "%REQUESTED_SERVER_NAME%",
  host: "%REQ(:AUTHORITY):256%",
  connection: "%CONNECTION_ID%",
  status: "%RESPONSE_CODE%",
  details: "%RESPONSE_CODE_DETAILS%",
  route: "%ROUTE_NAME%",
  from: "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%",
  milliseconds: "%DURATION%",
  received: "%DOWNSTREAM_WIRE_BYTES_RECEIVED%",
  sent: "%DOWNSTREAM_WIRE_BYTES_SENT%",
} as const;

/** What the log shows besides. None holds a query, a token, a cookie or a body. */
export const LOGGED_OF_REQUEST = {
  time: "%START_TIME%",
  method: "%REQ(:METHOD):33%",
  path: "%PATH(NQ:ORIG_OR_PATH):1025%",
  protocol: "%PROTOCOL%",
  userAgent: "%REQ(USER-AGENT):257%",
  tls: "%DOWNSTREAM_TLS_VERSION%",
  requestId: "%REQ(X-REQUEST-ID):65%",
} as const;

/** Of a connection whose bytes are passed on: when it begins, every ten seconds, and when it ends. */
export const COUNTED_OF_TUNNEL = {
  name: COUNTED_OF_REQUEST.name,
  connection: COUNTED_OF_REQUEST.connection,
  type: "%ACCESS_LOG_TYPE%",
  received: "%BYTES_RECEIVED%",
  sent: "%BYTES_SENT%",
} as const;
export const TUNNEL_ENDS = "TcpConnectionEnd";

/** Of every connection, when it ends. */
export const COUNTED_OF_CONNECTION = {
  name: COUNTED_OF_REQUEST.name,
  connection: COUNTED_OF_REQUEST.connection,
  chain: "%FILTER_CHAIN_NAME%",
  failure: "%DOWNSTREAM_TRANSPORT_FAILURE_REASON%",
  closed: "%CONNECTION_TERMINATION_DETAILS%",
} as const;
export const LOGGED_OF_CONNECTION = {
  time: LOGGED_OF_REQUEST.time,
  from: COUNTED_OF_REQUEST.from,
  milliseconds: COUNTED_OF_REQUEST.milliseconds,
  received: COUNTED_OF_TUNNEL.received,
  sent: COUNTED_OF_TUNNEL.sent,
  tls: LOGGED_OF_REQUEST.tls,
} as const;

export const countRequests = (port: number, { isLogged }: Counting): Json =>
  reports(COUNTED_REQUEST, port, { ...COUNTED_OF_REQUEST, ...(isLogged && LOGGED_OF_REQUEST) });

export const countConnections = (port: number, { isLogged }: Counting): Json =>
  reports(COUNTED_CONNECTION, port, { ...COUNTED_OF_CONNECTION, ...(isLogged && LOGGED_OF_CONNECTION) });

/** For the filter that passes bytes on. */
export const countTunnels = (port: number): { access_log: Json; access_log_options: Json } => ({
  access_log: reports(COUNTED_TUNNEL, port, COUNTED_OF_TUNNEL),
  access_log_options: { flush_access_log_on_connected: true, access_log_flush_interval: "10s" },
});

const CLUSTER = "counter";
/** Envoy holds so much of what it has not reported yet, for each of its threads and loggers. */
const HELD_BYTES = 131_072;
/** Envoy also holds so many reports that were not taken yet, and drops any more. */
const MAX_CONCURRENT = 64;

const reports = (kind: string | undefined, port: number, format: Readonly<Record<string, string>>): Json =>
  extension("counts", "envoy.extensions.access_loggers.open_telemetry.v3.OpenTelemetryAccessLogConfig", {
    http_service: { http_uri: { uri: "http://counter/", cluster: CLUSTER, timeout: "5s" } },
    log_name: "counts",
    stat_prefix: "counts.",
    disable_builtin_labels: true,
    buffer_flush_interval: "1s",
    buffer_size_bytes: HELD_BYTES,
    body: { string_value: [kind, port, ...Object.values(format)].join(BETWEEN_TEXTS) },
  });

/** Where the reports go. */
export const counter = ({ socket }: Counting): Json => ({
  ...clusterOf(CLUSTER, { addresses: [{ pipe: { path: socket } }], speech: "http1" }, false),
  circuit_breakers: {
    thresholds: [{ max_connections: MAX_CONCURRENT, max_pending_requests: MAX_CONCURRENT }],
  },
});
