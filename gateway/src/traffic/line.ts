import type { HttpsEdgeRoutes } from "@tunnelplane/sdk";
import { UNRECORDED } from "@tunnelplane/sdk/meaning";
import type { TrafficLine } from "@tunnelplane/sdk/traffic";
import {
  CONNECTION,
  CONNECTION_FORMAT,
  HTTP_CHAIN,
  isNoneSent,
  REQUEST,
  REQUEST_FORMAT,
  TLS_CHAIN,
} from "../envoy/recording";
import { type Addresses, atMost, callerOf, hostOf, nameOf, pathOf } from "./abbreviated";
import type { Declared } from "./declared";

/** The fields that equal requests have in common. */
export type Counted = Omit<TrafficLine, "hour" | "count">;

/** A line, and whether the gateway let it in: requests that were answered, and connections of TLS edges. */
export interface Reported {
  readonly line: Counted;
  readonly isLetIn: boolean;
}

/** Envoy's sign for a value that is missing. */
const NOTHING = "-";
const MAX_PER_METHOD = 32;
const MAX_PER_USER_AGENT = 256;
const MAX_PER_ISSUER = 256;
const MAX_PER_AUDIENCE = 1024;

type Said<Format> = { readonly port: string } & { readonly [Name in keyof Format]: string };

/** Undefined where there are more or fewer texts than Envoy was asked for. */
function parsed<Format extends object>(
  format: Format,
  [port = "", ...texts]: readonly string[],
): Said<Format> | undefined {
  if (texts.length !== Object.keys(format).length) return undefined;
  const named = Object.keys(format).map((name, index) => [name, texts[index] ?? NOTHING]);
  // Object.fromEntries forgets the names, which are those of the format.
  return { port, ...Object.fromEntries(named) } as Said<Format>;
}

/**
 * The line for what Envoy reports. `other`: too little is known of the request for a line. Undefined: it is
 * not counted, such as a connection whose requests are.
 */
export function lineOf(
  [kind, ...texts]: readonly string[],
  declared: Declared,
  addresses: Addresses,
): Reported | "other" | undefined {
  if (kind === REQUEST) {
    const request = parsed(REQUEST_FORMAT, texts);
    return request ? requestOf(request, declared, addresses) : "other";
  }
  const connection = kind === CONNECTION ? parsed(CONNECTION_FORMAT, texts) : undefined;
  return connection ? connectionOf(connection, declared, addresses) : "other";
}

function requestOf(
  request: Said<typeof REQUEST_FORMAT>,
  declared: Declared,
  addresses: Addresses,
): Reported | "other" {
  const { port, host, method, path, userAgent, details } = request;
  const name = nameOf(request.name);
  // A connection without HTTP has neither.
  if (name === undefined || method === NOTHING || host === NOTHING) return "other";
  const edge = declared.edge(name, port);
  const route = declared.route(request.route);
  const line: Counted = {
    address: `${name}:${port}`,
    host: hostOf(host),
    method: atMost(MAX_PER_METHOD, method),
    // Envoy reports the path of such a request partly changed.
    path: details === "path_normalization_failed" ? UNRECORDED : pathOf(path),
    from: callerOf(request.from, addresses),
    client_certificate: declared.authorityOf(edge, request.issuerOfCertificate),
    token: tokenOf(request, route),
    session: sessionOf(request, route),
    user_agent: userAgent === NOTHING ? null : atMost(MAX_PER_USER_AGENT, userAgent),
    tls: versionOf(request.tls),
    status: Number(request.status) || null,
  };
  // An answer that asks users to sign in has a status below 400, too.
  return { line, isLetIn: isAnswered(line) && !details.startsWith("oauth.") };
}

/** One line does not show whether a connection was let in, so it counts as refused. */
export const isAnswered = ({ status }: Pick<Counted, "status">): boolean => status !== null && status < 400;

/** Reasons that lie in the token and not in what the route asks for: every route would refuse it. */
const INVALID = /^jwt_authn_access_denied\{Jwt_(?:is_expired|not_yet_valid|is_not_in_the_form|.*invalid)/;

function tokenOf(
  { token, details, issuer, audience, algorithm }: Said<typeof REQUEST_FORMAT>,
  route: HttpsEdgeRoutes | undefined,
): TrafficLine["token"] {
  if (token === "none" || isNoneSent(token)) return null;
  if (INVALID.test(details)) return "invalid";
  // Nobody looked at it, or nobody knows who signed it.
  if (issuer === NOTHING || issuer.length > MAX_PER_ISSUER) return UNRECORDED;
  const audiences = audiencesIn(audience);
  if (audiences === undefined) return UNRECORDED;
  const asked = route?.jwt_validation;
  const [keys, ...otherKeys] = asked?.jws.keys.sources.additional_jkus ?? [];
  const [at, ...otherPlaces] = asked?.http.tokens ?? [];
  return {
    issuer,
    audiences,
    ...(algorithm === NOTHING ? {} : { algorithm }),
    // If there are several, Envoy does not say which one was used.
    ...(keys === undefined || otherKeys.length > 0 ? {} : { keys }),
    ...(at === undefined || otherPlaces.length > 0
      ? {}
      : { at: { method: at.method, name: at.name, prefix: at.prefix } }),
  };
}

/** Envoy reports one audience as it is, and several as a list in JSON. */
function audiencesIn(text: string): string[] | undefined {
  if (text.length > MAX_PER_AUDIENCE) return undefined;
  if (text === NOTHING) return [];
  if (!text.startsWith("[")) return [text];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map(String) : undefined;
  } catch {
    return undefined;
  }
}

function sessionOf(
  { token, session, signedIn, method }: Said<typeof REQUEST_FORMAT>,
  route: HttpsEdgeRoutes | undefined,
): TrafficLine["session"] {
  const oidc = route?.oidc?.enabled ? route.oidc : undefined;
  const letPast = oidc?.options_passthrough && method === "OPTIONS";
  if (signedIn === "yes" && oidc && !letPast) return { issuer: oidc.issuer, client_id: oidc.client_id };
  // The case, too, if the request was answered before its headers were read.
  return session === "sent" || token === NOTHING ? UNRECORDED : null;
}

function connectionOf(
  connection: Said<typeof CONNECTION_FORMAT>,
  declared: Declared,
  addresses: Addresses,
): Reported | undefined {
  const { port, chain, closed, failure } = connection;
  const isRefused = failure !== NOTHING || closed.startsWith("rbac_access_denied");
  const name = nameOf(connection.name);
  if (name === undefined || (chain.startsWith(HTTP_CHAIN) && !isRefused)) return undefined;
  const line: Counted = {
    address: `${name}:${port}`,
    host: null,
    method: null,
    path: null,
    from: callerOf(connection.from, addresses),
    client_certificate: certificateOf(connection, declared, name),
    token: null,
    session: null,
    user_agent: null,
    tls: versionOf(connection.tls),
    status: null,
  };
  return { line, isLetIn: chain.startsWith(TLS_CHAIN) && !isRefused };
}

function certificateOf(
  { port, failure, tls, issuerOfCertificate }: Said<typeof CONNECTION_FORMAT>,
  declared: Declared,
  name: string,
): TrafficLine["client_certificate"] {
  const edge = declared.edge(name, port);
  if (failure.includes("PEER_DID_NOT_RETURN_A_CERTIFICATE")) return null;
  if (failure.includes("CERTIFICATE_VERIFY_FAILED"))
    return declared.authorityOfRefused(edge, issuerOfCertificate);
  // Without a handshake here, no certificate was asked for.
  return failure === NOTHING && tls !== NOTHING
    ? declared.authorityOf(edge, issuerOfCertificate)
    : UNRECORDED;
}

const versionOf = (text: string): TrafficLine["tls"] =>
  text === "TLSv1.3" ? "1.3" : text === "TLSv1.2" ? "1.2" : UNRECORDED;
