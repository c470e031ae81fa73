import type { Json } from "./json";
import { CLAIMS_MARK, metadataText, TOKEN_MARK } from "./metadata";
import { CONNECTION_FORMAT, REQUEST_FORMAT } from "./recording";
import { reporterCluster, textReports } from "./reporting";

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
  name: REQUEST_FORMAT.name,
  host: REQUEST_FORMAT.host,
  connection: "%CONNECTION_ID%",
  status: REQUEST_FORMAT.status,
  details: REQUEST_FORMAT.details,
  route: REQUEST_FORMAT.route,
  from: REQUEST_FORMAT.from,
  /** How far the checks of a token, and of a user's claims, came. */
  token: metadataText(TOKEN_MARK, "step"),
  claims: metadataText(CLAIMS_MARK, "lacking"),
  milliseconds: "%DURATION%",
  received: "%DOWNSTREAM_WIRE_BYTES_RECEIVED%",
  sent: "%DOWNSTREAM_WIRE_BYTES_SENT%",
} as const;

/** What the log shows besides. None holds a query, a token, a cookie or a body. */
export const LOGGED_OF_REQUEST = {
  time: "%START_TIME%",
  method: REQUEST_FORMAT.method,
  path: REQUEST_FORMAT.path,
  protocol: "%PROTOCOL%",
  userAgent: REQUEST_FORMAT.userAgent,
  tls: REQUEST_FORMAT.tls,
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
  chain: CONNECTION_FORMAT.chain,
  failure: CONNECTION_FORMAT.failure,
  closed: CONNECTION_FORMAT.closed,
  from: COUNTED_OF_REQUEST.from,
} as const;
export const LOGGED_OF_CONNECTION = {
  time: LOGGED_OF_REQUEST.time,
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

const REPORTER = { cluster: "counter", maxConcurrent: 64 };
const HELD_BYTES = 131_072;

const reports = (kind: string | undefined, port: number, format: Readonly<Record<string, string>>): Json =>
  textReports("counts", REPORTER, HELD_BYTES, [kind, port, ...Object.values(format)]);

/** Where the reports go. */
export const counter = ({ socket }: Counting): Json => reporterCluster(REPORTER, socket);
