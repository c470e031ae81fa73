import { METHODS } from "@tunnelplane/sdk/rules";
import { onlyKnownCallers } from "./balancers";
import {
  type Arrival,
  callerHeaders,
  headersForBackends,
  named,
  namingPort,
  withoutClaimsInTrailers,
} from "./callerHeaders";
import { compressors } from "./compression";
import { countRequests } from "./counting";
import { applicationFaults } from "./faults";
import { idTokenFilters, lackingClaims } from "./idToken";
import { extension, FROM_GATEWAY, type Json } from "./json";
import { tokenFilters } from "./jwt";
import { lowerHost } from "./limits";
import { metadataFilter, whereMetadata } from "./metadata";
import type { Environment } from "./model";
import { admitting, httpRbac } from "./rbac";
import { markSent, markSignedIn, type Recording, recordRequests } from "./recording";
import type { ChainRequirements } from "./routes";
import { withoutCookies } from "./sessionCookies";
import { failedSignIns, signInAnswers } from "./signInPages";
import { refusedTokens } from "./tokenRefusals";
import { traceRequests } from "./tracing";
import { misdirected } from "./virtualHost";

const MAX_ANSWER_SIZE = 1_048_576; // of direct responses: four bytes for each of the contract's 65,536 characters, and more

/**
 * The routes of an edge's hosts at a port. @param strangers hosts below its wildcards that are not its
 * own
 */
export const routesFor = (
  name: string,
  virtualHosts: readonly Json[],
  strangers: readonly string[],
  arrival: Arrival,
): Json => ({
  name,
  // A route whose cluster is not there yet answers 503.
  validate_clusters: false,
  max_direct_response_body_size_bytes: MAX_ANSWER_SIZE,
  ...headersForBackends(arrival),
  virtual_hosts: [...virtualHosts, misdirected(strangers.flatMap((host) => named(host, arrival)))],
});

/** What Envoy reports of each request. */
export type Reporting = Pick<Environment, "recording" | "counting" | "tracing">;

/** The filter that reads HTTP for an edge. @param routes the name of its routes, or the routes themselves */
export function httpManager(
  routes: string | Json,
  requirements: readonly ChainRequirements[],
  arrival: Arrival,
  { recording, counting, tracing }: Reporting = {},
): Json {
  const conditional = requirements.some((one) => one.conditional);
  return extension(
    "http",
    "envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    {
      stat_prefix: "http",
      ...callerHeaders(arrival, conditional),
      normalize_path: true,
      merge_slashes: true,
      path_with_escaped_slashes_action: arrival.keepsSlashes ? "KEEP_UNCHANGED" : "REJECT_REQUEST",
      common_http_protocol_options: { idle_timeout: "600s", headers_with_underscores_action: "DROP_HEADER" },
      // What applications say, which routes may remove; Envoy says nothing of itself.
      server_header_transformation: "PASS_THROUGH",
      http_protocol_options: { enable_trailers: true },
      // By default 16 and 24 MiB: memory for each connection whose backend does not read.
      http2_protocol_options: {
        max_concurrent_streams: 1000,
        initial_stream_window_size: 1_048_576,
        initial_connection_window_size: 2_097_152,
      },
      request_headers_timeout: "30s",
      local_reply_config: {
        mappers: [
          otherMethods(),
          ...(requirements.some(({ tokens }) => tokens) ? refusedTokens() : []),
          ...(idTokensIn(requirements).length > 0 ? [lackingClaims()] : []),
          ...(signsIn(requirements) ? signInAnswers() : []),
          ...applicationFaults(),
        ],
      },
      upgrade_configs: [{ upgrade_type: "websocket" }],
      tracing: tracing && traceRequests(tracing),
      access_log: accessLogs(requirements, arrival, { recording, counting }),
      ...(typeof routes === "string"
        ? { rds: { route_config_name: routes, config_source: FROM_GATEWAY } }
        : { route_config: routes }),
      http_filters: [
        ...(arrival.by === "forwarded" ? [onlyKnownCallers()] : []),
        ...filters(requirements, arrival, recording),
      ],
    },
  );
}

const idTokensIn = (requirements: readonly ChainRequirements[]) =>
  requirements.flatMap(({ signIn }) => signIn?.idToken ?? []);

/** Access checks come before rate limits and before requests to an issuer. */
function filters(
  requirements: readonly ChainRequirements[],
  arrival: Arrival,
  recording: Recording | undefined,
): Json[] {
  const tokens = requirements.flatMap((one) => one.tokens ?? []);
  const signIns = requirements.flatMap((one) => one.signIn?.filters ?? []);
  const each = [
    ...signIns,
    ...(recording && signsIn(requirements) ? [markSignedIn()] : []),
    ...idTokenFilters(idTokensIn(requirements)),
    ...(requirements.some(({ hidesCookies }) => hidesCookies) ? [withoutCookies()] : []),
    ...requirements.flatMap(({ limits }) => limits),
    // After the limits: anybody may send what is checked.
    ...requirements.flatMap(({ webhook }) => (webhook ? [webhook.filter] : [])),
  ];
  return [
    ...(recording && signsIn(requirements)
      ? [markSent(tokenHeadersOf(requirements), cookiesOf(requirements))]
      : []),
    ...(requirements.some(({ logs }) => logs) ? [markForLog()] : []),
    onlyKnownMethods(),
    httpRbac("admit"),
    ...onceEach(tokenFilters(tokens)),
    ...(requirements.some(({ countsByHost }) => countsByHost) ? [lowerHost()] : []),
    ...onceEach(each),
    ...(requirements.some(({ compresses }) => compresses) ? compressors() : []),
    ...namingPort(arrival),
    withoutClaimsInTrailers(),
    extension("router", "envoy.extensions.filters.http.router.v3.Router"),
  ];
}

const onceEach = (filters: readonly Json[]): Json[] => [
  ...new Map(filters.map((filter) => [filter.name, filter] as const)).values(),
];

const tokenHeadersOf = (requirements: readonly ChainRequirements[]): string[] =>
  requirements.flatMap(({ tokens }) => tokens?.headers ?? []);

const signsIn = (requirements: readonly ChainRequirements[]): boolean =>
  requirements.some(({ signIn }) => signIn !== undefined && signIn.filters.length > 0);

const cookiesOf = (requirements: readonly ChainRequirements[]): string[] =>
  requirements.flatMap(({ signIn }) => signIn?.cookie ?? []);

function accessLogs(
  requirements: readonly ChainRequirements[],
  { port }: Arrival,
  { recording, counting }: Reporting,
): Json[] | undefined {
  const declared = requirements.some(({ logs }) => logs) ? [accessLog()] : [];
  const all = [
    ...declared,
    ...(signsIn(requirements) ? [failedSignIns()] : []),
    ...(recording ? [record(port, requirements)] : []),
    ...(counting ? [countRequests(port, counting)] : []),
  ];
  return all.length > 0 ? all : undefined;
}

const record = (port: number, requirements: readonly ChainRequirements[]): Json =>
  recordRequests(port, tokenHeadersOf(requirements), signsIn(requirements));

const LOGGED = "tunnelplane.log";

const markForLog = (): Json => metadataFilter("log", LOGGED, { declared: true }, { overwrites: false });

function accessLog(): Json {
  return {
    ...extension("log", "envoy.extensions.access_loggers.stream.v3.StdoutAccessLog", {
      log_format: {
        json_format: {
          time: "%START_TIME%",
          client: "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%",
          host: "%REQ(:AUTHORITY)%",
          method: "%REQ(:METHOD)%",
          path: "%REQ(X-ENVOY-ORIGINAL-PATH?:PATH)%",
          status: "%RESPONSE_CODE%",
          sent: "%BYTES_SENT%",
          milliseconds: "%DURATION%",
          route: "%ROUTE_NAME%",
          metadata: "%METADATA(ROUTE:tunnelplane:log)%",
        },
      },
    }),
    filter: whereMetadata(LOGGED, ["declared"], { bool_match: true }),
  };
}

/** Of methods in one expression: Envoy refuses programs of RE2 with more than 100 instructions. */
const TOGETHER = 16;

const expressions = METHODS.flatMap((_, index) =>
  index % TOGETHER === 0 ? [METHODS.slice(index, index + TOGETHER).join("|")] : [],
);
const known: readonly Json[] = expressions.map((regex) => ({
  name: ":method",
  string_match: { safe_regex: { regex } },
}));

/** Keeps methods out over HTTP/2 that Envoy does not read over HTTP/1.1, so that both get one answer. */
const onlyKnownMethods = (): Json =>
  httpRbac("method", admitting([{ or_rules: { rules: known.map((header) => ({ header })) } }], []));

/** Answers 400 to all other methods, as Envoy does over HTTP/1.1. */
const otherMethods = (): Json => ({
  filter: {
    and_filter: {
      filters: known.map((one) => ({ header_filter: { header: { ...one, invert_match: true } } })),
    },
  },
  status_code: 400,
});
