import { extension, type Json } from "./json";
import { metadataFilter } from "./metadata";
import { reporterCluster, textReports } from "./reporting";

/** Where Envoy reports the requests that it served, to be counted. */
export interface Recording {
  /** The Unix socket that takes the reports. */
  readonly socket: string;
}

/** Each filter has a place of its own: what sets constants writes to none that exists. */
const [MARKS, AFTER_SIGN_IN] = ["tunnelplane.traffic", "tunnelplane.traffic.session"];
const TOKEN = "envoy.filters.http.jwt_authn";

/**
 * The parts of Envoy's report of a request. None holds a query, a token, a cookie or a body. `-` stands for a
 * missing value; lengths are one more than are kept.
 */
export const REQUEST_FORMAT = {
  name: "%REQUESTED_SERVER_NAME%",
  host: "%REQ(:AUTHORITY):256%",
  method: "%REQ(:METHOD):33%",
  path: "%PATH(NQ:ORIG_OR_PATH):1025%",
  from: "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%",
  issuerOfCertificate: "%DOWNSTREAM_PEER_ISSUER%",
  userAgent: "%REQ(USER-AGENT):257%",
  tls: "%DOWNSTREAM_TLS_VERSION%",
  status: "%RESPONSE_CODE%",
  details: "%RESPONSE_CODE_DETAILS%",
  route: "%ROUTE_NAME%",
  /** `sent` or `none`; or as {@link sentIn} says it. `-`: answered before anything looked at its headers. */
  token: `%DYNAMIC_METADATA(${MARKS}:token)%`,
  /** `sent`: a cookie of one of the chain's sign-ins. */
  session: `%DYNAMIC_METADATA(${MARKS}:session)%`,
  /** `yes`: the route asks users to sign in, and this one has. */
  signedIn: `%DYNAMIC_METADATA(${AFTER_SIGN_IN}:signed_in)%`,
  /** Of a token whose signature is right. */
  issuer: `%DYNAMIC_METADATA(${TOKEN}:payload:iss):257%`,
  audience: `%DYNAMIC_METADATA(${TOKEN}:payload:aud):1025%`,
  algorithm: `%DYNAMIC_METADATA(${TOKEN}:header:alg):33%`,
} as const;

/** The parts of Envoy's report of a connection when it ends. */
export const CONNECTION_FORMAT = {
  name: REQUEST_FORMAT.name,
  from: REQUEST_FORMAT.from,
  issuerOfCertificate: REQUEST_FORMAT.issuerOfCertificate,
  tls: REQUEST_FORMAT.tls,
  chain: "%FILTER_CHAIN_NAME%",
  /** Why its handshake failed. */
  failure: "%DOWNSTREAM_TRANSPORT_FAILURE_REASON%",
  /** Why it was closed after its handshake. */
  closed: "%CONNECTION_TERMINATION_DETAILS%",
} as const;

/** The first text of a report, before the port that hostports name. */
export const [REQUEST, CONNECTION] = ["request", "connection"];
/**
 * How the names of chains begin that read HTTP, that pass bytes on, and that turn callers away from these.
 */
export const [HTTP_CHAIN, TLS_CHAIN, REFUSED_CHAIN] = ["https ", "tls ", "refused "];

/**
 * @param tokens the headers in which tokens may stand
 * @param signsIn whether some route of the chain signs users in, so that {@link markSent} is there
 */
export const recordRequests = (port: number, tokens: readonly string[], signsIn: boolean): Json =>
  reports([REQUEST, String(port)], {
    ...REQUEST_FORMAT,
    ...(!signsIn && { token: sentIn(tokens), session: "none", signedIn: "-" }),
  });

/** Asks only whether headers are there: their number, and `-` for each that is absent. */
function sentIn(headers: readonly string[]): string {
  const all = tokenHeaders(headers);
  return `${all.length}${all.map((header) => `%REQ(${header}):0%`).join("")}`;
}

/** Whether {@link sentIn} found none of the headers. */
export function isNoneSent(text: string): boolean {
  const [, count = "", absent = ""] = /^(\d+)(-*)$/.exec(text) ?? [];
  return count !== "" && absent.length === Number(count);
}

/** Each once, in lower case: Authorization, and others in which tokens may stand. */
const tokenHeaders = (headers: readonly string[]): string[] =>
  [...new Set(["authorization", ...headers.map((header) => header.toLowerCase())])].sort();

export const recordConnections = (port: number): Json =>
  reports([CONNECTION, String(port)], CONNECTION_FORMAT);

const REPORTER = { cluster: "recorder", maxConcurrent: 64 };
/** With an eighth of it, a gateway served 0.80 of the requests that it served without recording, not 0.93. */
const HELD_BYTES = 524_288;

const reports = (first: readonly string[], format: Readonly<Record<string, string>>): Json =>
  textReports("traffic", REPORTER, HELD_BYTES, [...first, ...Object.values(format)]);

/** Where the reports go. */
export const recorder = ({ socket }: Recording): Json => reporterCluster(REPORTER, socket);

/**
 * The filter that notes whether a request brings a token or a session, and nothing else about them. Chains
 * without sign-in do without it: with it, Envoy takes some 7 µs longer for a report (measured at 3,500
 * requests a second; 95 µs without recording).
 * @param headers in which tokens may stand, besides Authorization
 * @param cookies of sign-ins
 */
export function markSent(headers: readonly string[], cookies: readonly string[]): Json {
  const mark = (key: string, value: string): Json => ({ metadata_namespace: MARKS, key, value });
  const sent = mark("token", "sent");
  const [first, ...others] = tokenHeaders(headers);
  return extension("sent", "envoy.extensions.filters.http.header_to_metadata.v3.Config", {
    request_rules: [
      { header: first, on_header_present: sent, on_header_missing: mark("token", "none") },
      ...others.map((header) => ({ header, on_header_present: sent })),
      ...cookies.map((cookie) => ({ cookie, on_header_present: mark("session", "sent") })),
    ],
  });
}

/** The filter that routes with sign-in turn on, behind the one that signs users in. */
export const SIGNED_IN = "signed in";
export const markSignedIn = (): Json =>
  metadataFilter(SIGNED_IN, AFTER_SIGN_IN, { signed_in: "yes" }, { overwrites: false });
