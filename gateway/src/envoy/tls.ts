import type { Ref } from "@tunnelplane/sdk";
import { pemWrittenAnew } from "@tunnelplane/sdk/contract";
import { refuseUnusable } from "@tunnelplane/sdk/rules";
import { shortHash } from "./hostports";
import { withId } from "./indexes";
import { extension, type Json, secretNamed, typed } from "./json";
import type { Objects, ServerCertificate } from "./model";
import type { Speech } from "./speech";

interface MutualTls {
  readonly enabled: boolean;
  readonly certificate_authorities: readonly Ref[];
}

/** The checks before any data of a connection is read. */
export interface Termination {
  readonly minVersion: "1.2" | "1.3";
  /** PEMs of the authorities of clients' certificates; undefined if clients are not asked for one. */
  readonly clients: string | undefined;
}

export function terminationOf(
  termination: { readonly enabled: boolean; readonly min_version: "1.2" | "1.3" | null } | null,
  mutual: MutualTls | null,
  { certificate_authority }: Objects,
): Termination {
  const minVersion = (termination?.enabled ? termination.min_version : null) ?? "1.2";
  if (!mutual?.enabled) return { minVersion, clients: undefined };
  const authorities = mutual.certificate_authorities.map(({ id }) => {
    const thing = withId(certificate_authority, id);
    return { id, thing, pem: thing?.ca_pem };
  });
  refuseUnusable(authorities, false);
  const texts = authorities.flatMap(({ pem }) => (pem === undefined ? [] : pemWrittenAnew(pem))).sort();
  return { minVersion, clients: texts.join("") };
}

/** From the end of the ClientHello on; what comes before it has `listener_filters_timeout`. */
export const HANDSHAKE = "15s";

/** A session that is resumed does not show its certificate again, which may have ended since. */
const NOT_RESUMED: Json = {
  disable_stateless_session_resumption: true,
  disable_stateful_session_resumption: true,
};

/** What BoringSSL takes by itself, without SHA-1; and P-521 and Ed25519, which clients would not use. */
const SIGNATURES = [
  ...["ecdsa_secp256r1_sha256", "rsa_pss_rsae_sha256", "rsa_pkcs1_sha256", "ecdsa_secp384r1_sha384"],
  ...["rsa_pss_rsae_sha384", "rsa_pkcs1_sha384", "ecdsa_secp521r1_sha512", "ed25519"],
  ...["rsa_pss_rsae_sha512", "rsa_pkcs1_sha512"],
];

export function downstreamTls(
  { minVersion, clients }: Termination,
  certificates: Json,
  protocols: readonly string[],
): Json {
  return extension("tls", "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext", {
    ...(clients === undefined ? {} : { require_client_certificate: true, ...NOT_RESUMED }),
    common_tls_context: {
      tls_params: {
        tls_minimum_protocol_version: `TLSv${minVersion.replace(".", "_")}`,
        tls_maximum_protocol_version: "TLSv1_3",
        signature_algorithms: clients === undefined ? undefined : SIGNATURES,
      },
      ...certificates,
      validation_context: clients === undefined ? undefined : { trusted_ca: { inline_string: clients } },
      alpn_protocols: protocols.length === 0 ? undefined : protocols,
    },
  });
}

/** A certificate that is part of the message. */
export const inline = ({ chain, key }: ServerCertificate): Json => ({
  certificate_chain: { inline_string: chain },
  private_key: { inline_string: key },
});

/**
 * The name of a certificate's secret. One that takes its place has the same, so that connections go on; of
 * those with the same names, the same one is the best for all hosts.
 */
export const secretOf = ({ names, isReserved }: ServerCertificate): string =>
  `certificate ${shortHash(JSON.stringify([[...names].sort(), isReserved === true]))}`;

/** How the chains of an edge name the secrets of its certificates. */
export type SecretNames = (certificate: ServerCertificate) => string;

/**
 * Where all hosts of an edge have one certificate, any other may take its place, and connections go on.
 * @param edge its id and mark: a host that leaves takes its chain along: none shows a certificate of others
 */
export const secretNames = (certificates: readonly ServerCertificate[], edge: string): SecretNames =>
  new Set(certificates.map(secretOf)).size === 1 ? () => `certificate of ${edge}` : secretOf;

export const secret = (name: string, certificate: ServerCertificate) => ({
  name,
  tls_certificate: inline(certificate),
});

/** Certificates that Envoy chooses from by the name in TLS. @param secrets their names, each once */
export const certificatesNamed = (secrets: Iterable<string>): Json => ({
  tls_certificate_sds_secret_configs: [...secrets].map(secretNamed),
});

/** TLS to an address, which has to prove that it belongs to the host. */
export function upstreamTls(host: string, trust: string, speech: Speech): Json {
  const type = /^[\d.]+$|:/.test(host) ? "IP_ADDRESS" : "DNS";
  return extension("tls", "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext", {
    sni: type === "DNS" ? host : undefined,
    common_tls_context: {
      validation_context: {
        trusted_ca: { filename: trust },
        match_typed_subject_alt_names: [{ san_type: type, matcher: { exact: host } }],
      },
      // Where Envoy knows no HTTP, it names none by itself.
      alpn_protocols: speech === "http2" ? ["h2"] : undefined,
    },
  });
}

export const tlsInspector = (): Json => ({
  name: "tls_inspector",
  typed_config: typed("envoy.extensions.filters.listener.tls_inspector.v3.TlsInspector"),
});
