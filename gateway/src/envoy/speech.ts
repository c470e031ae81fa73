import type { StaticBackend } from "@tunnelplane/sdk";
import { type Json, typed } from "./json";

export type Protocol = StaticBackend["protocol"];

/** What is sent to a backend: bytes, or requests of some kind. */
export type Use = "connections" | "requests" | "grpc" | "upgrades";

/** Requests that may go by another protocol than the rest, with the header that tells them apart. */
export const KINDS_OF_REQUESTS: readonly {
  readonly use: Use;
  readonly header: string;
  readonly regex: string;
}[] = [
  // Not grpc-web, which is made for HTTP/1.1.
  { use: "grpc", header: "content-type", regex: "application/grpc(?:[+;].*)?" },
  // Over HTTP/2 few servers take them (RFC 8441).
  { use: "upgrades", header: "upgrade", regex: ".+" },
];

/** How a cluster speaks HTTP; `alpn`: as the backend chooses in TLS. */
export type Speech = "http1" | "http2" | "alpn";

export function speechOf(protocol: Protocol | undefined, tls: boolean, use: Use): Speech {
  if (protocol === "http1" || protocol === "http2") return protocol;
  if (tls) return use === "requests" || use === "grpc" ? "alpn" : "http1";
  return use === "grpc" ? "http2" : "http1";
}

/** The end of the name of a cluster that speaks so. */
export const SPOKEN: Readonly<Record<Speech, string>> = { http1: "", http2: " h2", alpn: " alpn" };

/**
 * Of an answer: 256, and those of HTTP itself (Date, Connection, …). Envoy takes 100, and answers 502 beyond.
 */
const MAX_HEADERS = 256 + 16;
const HTTP = "envoy.extensions.upstreams.http.v3.HttpProtocolOptions";
const HTTP_1: Json = { enable_trailers: true };

/** The options of a cluster. Connections that only pass bytes on do not read them. */
export function speaking(speech: Speech): Json {
  const both = { http_protocol_options: HTTP_1, http2_protocol_options: {} };
  const one = speech === "http1" ? { http_protocol_options: HTTP_1 } : { http2_protocol_options: {} };
  return {
    [HTTP]: typed(HTTP, {
      common_http_protocol_options: { max_headers_count: MAX_HEADERS },
      ...(speech === "alpn" ? { auto_config: both } : { explicit_http_config: one }),
    }),
  };
}

/** The protocols that a TLS edge offers callers, each by a chain of its own; most take the first. */
export function offered(protocol: Protocol): readonly string[] {
  if (protocol === "auto") return ["http/1.1", "h2"];
  return protocol === "http1" ? ["http/1.1"] : ["h2"];
}

/** What is common to all backends that some traffic may reach. */
export interface Traits {
  /** In seconds: the longest of them. */
  readonly idle: number;
  /** `auto` where they differ. */
  readonly protocol: Protocol;
}

export const traitsOfAll = (all: readonly (Traits | undefined)[]): Traits | undefined =>
  all.reduce(
    (one, other) =>
      one && other
        ? {
            idle: Math.max(one.idle, other.idle),
            protocol: one.protocol === other.protocol ? one.protocol : "auto",
          }
        : (one ?? other),
    undefined,
  );
