import type { HttpsEdgeRoutesJwtValidation } from "@tunnelplane/sdk";
import { present } from "@tunnelplane/sdk/contract";
import { isScheme, refuseUncheckable, WORDS } from "@tunnelplane/sdk/rules";
import type { Backends } from "./backends";
import { anyOf, claimed, claimsIn, found } from "./claimRules";
import { shortHash } from "./hostports";
import { ISSUER_SOCKET, issuerPath, KEYS } from "./issuers";
import { extension, type Json, type NamedFilter, script, turnOn, typed } from "./json";
import { type Environment, Unreachable } from "./model";
import { admitting, httpRbac, routeRbac } from "./rbac";
import { FAILED, STEPS, stepping, tellingUnknownKeys } from "./tokenRefusals";

/** How long Envoy uses a key set; issuers that change keys publish the old ones for longer. */
const KEYS_FOR = "300s";
/** Envoy asks again 5 s before that: the gateway has them in memory, and knows when they change. */
const KEYS_OF_GATEWAY_FOR = "6s";
/** How far clocks may differ: tokens are valid this long before `nbf` and after `exp`. */
const LEEWAY_SECONDS = 60;

/** A route's token checks: entries for the filter's tables, and the parts that the route turns on. */
export interface TokenCheck {
  readonly name: string;
  readonly providers: Readonly<Record<string, Json>>;
  readonly requirement: Json;
  /** The headers in which tokens may stand. */
  readonly headers: readonly string[];
  /** Filters before the check. */
  readonly before: readonly Json[];
  /** The parts that routes turn on. */
  readonly on: Json;
}

export function tokenCheck(
  route: string,
  jwt: HttpsEdgeRoutesJwtValidation,
  backends: Backends,
  environment: KeySetsOf,
): TokenCheck {
  const keys = jwt.jws.keys.sources.additional_jkus;
  refuseUncheckable({
    issuers: jwt.issuer.allow_list.map(({ value }) => value),
    audiences: jwt.audience.allow_list.map(({ value }) => value),
    algorithms: jwt.jws.allowed_algorithms,
    keys,
    locations: jwt.http.tokens,
    claims: jwt.require_claims,
  });
  for (const uri of keys) refuseSilent(uri, backends, environment);
  const providers: Record<string, Json> = {};
  for (const { value: issuer } of jwt.issuer.allow_list)
    for (const uri of keys)
      providers[`${route}.${Object.keys(providers).length}`] = {
        issuer,
        audiences: jwt.audience.allow_list.map(({ value }) => value),
        from_headers: jwt.http.tokens.map(({ name, prefix }) => ({
          name,
          value_prefix: prefix || undefined,
        })),
        require_expiration: true,
        clock_skew_seconds: LEEWAY_SECONDS,
        forward: true,
        header_in_metadata: HEADER,
        ...claimsTo(PAYLOAD),
        failed_status_in_metadata: FAILED,
        remote_jwks: keySetAt(uri, backends, environment),
      };
  const before = [
    ...inDeclaredCase(jwt.http.tokens),
    ...(environment.answersForIssuers ? [tellingUnknownKeys(keys, backends)] : []),
  ];
  const names = Object.keys(providers).map((provider_name) => ({ provider_name }));
  const exact = [
    uncritical,
    algorithmIn(jwt.jws.allowed_algorithms),
    audienceIn(jwt.audience.allow_list.map(({ value }) => value)),
  ];
  return {
    name: route,
    providers,
    headers: jwt.http.tokens.map(({ name }) => name),
    requirement: names.length > 1 ? { requires_any: { requirements: names } } : present(names[0]),
    before,
    on: {
      ...Object.fromEntries([...before.map(({ name }) => name), ...STEPS].map((name) => [name, turnOn()])),
      [TOKEN]: requireToken(route),
      [EXACT]: routeRbac(admitting(exact, [])),
      [CLAIMS]: routeRbac(admitting(claimsIn(PAYLOAD, jwt.require_claims), [])),
    },
  };
}

/** @throws Unreachable if the gateway may not ask for the key set, or it never answered */
export function refuseSilent(uri: string, backends: Backends, { keySets, unread }: KeySetsOf): void {
  backends.permit(uri);
  if (keySets?.has(uri) === false)
    throw new Unreachable(
      `the key set ${uri} was never read: ${unread?.get(uri) ?? "it has not answered yet"}. Is it reachable from here, and trusted (--trust)?`,
    );
}

type KeySetsOf = Pick<Environment, "keySets" | "unread" | "answersForIssuers">;

export const keySetAt = (uri: string, backends: Backends, { answersForIssuers }: KeySetsOf): Json => ({
  http_uri: answersForIssuers
    ? {
        uri: `http://gateway${issuerPath(KEYS, uri)}`,
        cluster: backends.gatewaySocket(ISSUER_SOCKET),
        timeout: "2s",
      }
    : { uri, cluster: backends.forUrl(uri), timeout: "2s" },
  cache_duration: answersForIssuers ? KEYS_OF_GATEWAY_FOR : KEYS_FOR,
  // Fetched beforehand, so that requests with forged tokens cause no requests to the issuer. Those that Envoy
  // has do not end while it gets no new ones.
  async_fetch: {},
});

/** Where the filter writes the token's parts once its signature is right. */
const [HEADER, PAYLOAD] = ["header", "payload"];

/** @param key of the metadata where the claims are written, those that are lists of words as such */
export const claimsTo = (key: string): Json => ({
  payload_in_metadata: key,
  normalize_payload_in_metadata: { space_delimited_claims: WORDS },
});

/** Nobody here understands an extension that must be understood (RFC 7515 section 4.1.11). */
const uncritical: Json = { not_rule: found([HEADER, "crit"], { present_match: true }) };

const algorithmIn = (allowed: readonly string[]): Json =>
  anyOf(allowed.map((exact) => found([HEADER, "alg"], { string_match: { exact } })));

/** The filter takes `https://api/` and `api` for the same. A token has one audience, or a list of them. */
const audienceIn = (allowed: readonly string[]): Json =>
  claimed(
    [PAYLOAD, "aud"],
    allowed.map((exact) => ({ string_match: { exact } })),
  );

/** A filter that checks tokens, of the tables of all its routes. */
export const tokenFilter = (
  name: string,
  checks: readonly (Pick<TokenCheck, "providers" | "requirement"> & { readonly name: string })[],
): Json =>
  extension(name, "envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication", {
    providers: Object.assign({}, ...checks.map(({ providers }) => providers)),
    requirement_map: Object.fromEntries(checks.map((check) => [check.name, check.requirement])),
  });

export const requireToken = (requirement_name: string): Json =>
  typed("envoy.extensions.filters.http.jwt_authn.v3.PerRouteConfig", { requirement_name });

/** The filters that check tokens: the second has rules for what the first does not compare exactly. */
const [TOKEN, EXACT, CLAIMS] = ["jwt", "token", "token claims"];

/** The filters that routes turn on to have tokens checked. */
export const tokenFilters = (checks: readonly TokenCheck[]): Json[] =>
  checks.length > 0
    ? [
        ...checks.flatMap(({ before }) => before),
        tokenFilter(TOKEN, checks),
        ...stepping(httpRbac(EXACT), httpRbac(CLAIMS)),
      ]
    : [];

/** The name of a scheme counts in any case; the filter finds it only in the declared one. */
function inDeclaredCase(tokens: HttpsEdgeRoutesJwtValidation["http"]["tokens"]): NamedFilter[] {
  const named = tokens.filter(({ prefix }) => isScheme(prefix));
  if (named.length === 0) return [];
  const lines = named.map(
    ({ name, prefix }) => `  inCase(handle:headers(), ${luaText(name.toLowerCase())}, ${luaText(prefix)})`,
  );
  const code = `function inCase(headers, name, prefix)
  if headers:getNumValues(name) ~= 1 then return end
  local value = headers:get(name)
  if string.lower(string.sub(value, 1, #prefix)) == string.lower(prefix) then
    headers:replace(name, prefix .. string.sub(value, #prefix + 1))
  end
end
function envoy_on_request(handle)
${lines.join("\n")}
end`;
  const name = `scheme ${shortHash(code)}`;
  return [{ ...script(name, code), name, disabled: true }];
}

/** Names of headers and schemes hold no backslash and no control character. */
const luaText = (text: string): string => `"${text.replaceAll('"', '\\"')}"`;
