import { CALLER_HEADERS } from "@tunnelplane/sdk/rules";
import { LAST_FORWARDED, PROXIED_IPV4 } from "./balancers";
import { extension, type Json } from "./json";
import { HOST as LOWER_HOST } from "./limits";
import { cidrRange } from "./networks";
import { CLIENT_IP_HEADER, OWN_HEADERS } from "./predicate";

/**
 * Who says where a caller is: the connection; a trusted balancer, in the last entry of X-Forwarded-For; or
 * one by the PROXY protocol.
 */
export type By = "connection" | "forwarded" | "proxy protocol";

/** How callers reach a chain. */
export interface Arrival {
  /** The port that hostports name. */
  readonly port: number;
  /** The other ports at which the gateway listens for it. Default: none. */
  readonly bound?: readonly number[];
  readonly by: By;
  /** Whether encoded slashes in paths pass. Default: they are refused. */
  readonly keepsSlashes?: boolean;
}

/** How callers write a host: without a port, or with one. Browsers name every port but 443. */
export const named = (host: string, { port, bound = [] }: Pick<Arrival, "port" | "bound">): string[] => [
  host,
  ...[port, ...bound].map((one) => `${host}:${one}`),
];

const PORT = "tunnelplane.port";
/** Notes the port that a caller wrote, where it may be another than the hostport's. */
export const namingPort = ({ bound = [] }: Arrival): Json[] =>
  bound.length === 0
    ? []
    : [
        extension("port", "envoy.extensions.filters.http.header_to_metadata.v3.Config", {
          request_rules: [
            {
              header: ":authority",
              on_header_present: {
                metadata_namespace: PORT,
                key: "port",
                regex_value_rewrite: {
                  pattern: { google_re2: {}, regex: "^[^:]*:?([0-9]*)$" },
                  substitution: "\\1",
                },
              },
            },
          ],
        }),
      ];

const FORWARDED_FOR = "x-forwarded-for";
/** Every X-Forwarded header but X-Forwarded-For; RE2 knows no "but". */
const FORWARDED_MORE = "x-forwarded-(?:.{0,2}|.{4,}|[^f]..|f[^o].|fo[^r])";
const HOST = "%REQ(:AUTHORITY)%";
const CLIENT_IP = "%DOWNSTREAM_REMOTE_ADDRESS_WITHOUT_PORT%";

/** Removes what callers claim, all of it or without X-Forwarded-For. */
const claims = (forwarded: Json = { prefix: "x-forwarded-" }): Json[] =>
  [
    forwarded,
    { prefix: "x-envoy-" },
    { prefix: "x-tunnelplane-" },
    ...CALLER_HEADERS.map((exact) => ({ exact })),
  ].map((key_matcher) => ({ remove_on_match: { key_matcher } }));

/** Some servers read trailers like headers, and these come after all filters have read the headers. */
export const withoutClaimsInTrailers = (): Json =>
  extension("trailers", "envoy.extensions.filters.http.header_mutation.v3.HeaderMutation", {
    mutations: { request_trailers_mutations: claims() },
  });

/** Removes headers in which callers claim who they are: only trusted balancers may say that. */
export function callerHeaders({ by }: Arrival, conditional: boolean): Json {
  const own = Object.values(OWN_HEADERS);
  const removed = claims(by === "forwarded" ? { safe_regex: { regex: FORWARDED_MORE } } : undefined);
  return {
    use_remote_address: true,
    // Backends get X-Forwarded-For anew, and policies read nothing there that Envoy wrote.
    skip_xff_append: true,
    xff_num_trusted_hops: by === "connection" ? undefined : 1,
    // Envoy trusts private addresses more, and writes no CLIENT_IP_HEADER for them. None is at this address.
    internal_address_config: { cidr_ranges: [cidrRange("255.255.255.255/32")] },
    early_header_mutation_extensions: [
      extension(
        "caller headers",
        "envoy.extensions.http.early_header_mutation.header_mutation.v3.HeaderMutation",
        {
          mutations: [
            ...removed,
            // Envoy reads the caller's address there after this.
            ...(by === "connection"
              ? []
              : [{ append: overwritten(FORWARDED_FOR, by === "forwarded" ? LAST_FORWARDED : PROXIED_IPV4) }]),
            ...(conditional ? own.map(({ name, value }) => ({ append: overwritten(name, value) })) : []),
          ],
        },
      ),
    ],
  };
}

/** The headers that say to backends who the caller is. */
export function headersForBackends({ port, bound = [] }: Arrival): Json {
  return {
    request_headers_to_add: [
      // Only upgrades keep this header. It could name the headers below, so that backends drop them.
      { header: { key: "connection", value: "upgrade" }, append_action: "OVERWRITE_IF_EXISTS" },
      overwritten(FORWARDED_FOR, CLIENT_IP),
      overwritten("x-forwarded-proto", "https"),
      overwritten("x-forwarded-host", HOST),
      overwritten("x-forwarded-port", String(port)),
      // Adds nothing where the caller wrote no port.
      ...(bound.length === 0 ? [] : [overwritten("x-forwarded-port", `%DYNAMIC_METADATA(${PORT}:port)%`)]),
      overwritten("x-real-ip", CLIENT_IP),
    ],
    request_headers_to_remove: [
      ...Object.values(OWN_HEADERS).map(({ name }) => name),
      CLIENT_IP_HEADER,
      LOWER_HOST,
    ],
  };
}

const overwritten = (key: string, value: string): Json => ({
  header: { key, value },
  append_action: "OVERWRITE_IF_EXISTS_OR_ADD",
});
