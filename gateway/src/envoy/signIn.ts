import { createHmac } from "node:crypto";
import type { HttpsEdgeRoutesOidc } from "@tunnelplane/sdk";
import { OWN_PATHS } from "@tunnelplane/sdk/contract";
import { escapeRegex, NAVIGATED } from "@tunnelplane/sdk/rules";
import type { Backends } from "./backends";
import { asksClaims } from "./claimRules";
import { type Hostport, isWildcard, shortHash } from "./hostports";
import { type IdTokenCheck, idTokenCheck } from "./idToken";
import { ISSUER_SOCKET, SESSION } from "./issuers";
import { extension, type Json, script, secretNamed, turnOn } from "./json";
import { type Environment, type Issuer, Unreachable } from "./model";
import { SIGNED_IN } from "./recording";
import { COOKIE_SETTINGS, cookieNames } from "./sessionCookies";
import { boundTo, DAY, rulesText, type SessionRules } from "./sessionRules";
import { SIGNING_IN, signingIn } from "./signInPages";

export interface SignIn {
  /** The filters that sign users in; routes turn them on. */
  readonly filters: readonly Json[];
  /** The part that routes turn on to ask for sign-in. */
  readonly on: Json;
  /** Claims that users must also have; undefined if they need none. */
  readonly idToken: IdTokenCheck | undefined;
  /** A cookie that every session has. */
  readonly cookie: string;
  readonly callback: string;
  readonly signOut: string;
  /** Rules for requests that may end a session: from a page of the same site, or from no page at all. */
  readonly mayEnd: readonly Json[];
  readonly secrets: readonly Json[];
}

export function signIn(
  { id: route, project }: { readonly id: string; readonly project: string },
  oidc: HttpsEdgeRoutesOidc,
  { host }: Hostport,
  hosts: readonly string[],
  backends: Backends,
  environment: Environment,
): SignIn {
  backends.permit(oidc.issuer);
  const issuer = environment.issuers.get(oidc.issuer);
  if (!issuer)
    throw new Unreachable(
      `the discovery document of the issuer ${oidc.issuer} was never read: ${environment.unread?.get(oidc.issuer) ?? "it has not answered yet"}. Is it reachable from here, and trusted (--trust)?`,
    );
  const id = shortHash(route);
  const rules = rulesOf(oidc, project);
  const key = sessionKey(route, rules, environment.sessionKey);
  const [secretName, keyName] = [`client of ${id}`, `session of ${id}`];
  const callback = `${OWN_PATHS}callback/${route}`;
  const signOut = `${OWN_PATHS}sign-out/${route}`;
  const cookies = cookieNames(oidc.cookie_prefix, id);
  const config = {
    ...endpointsOf(issuer, rules, backends, environment),
    ...sessionOf(oidc, rules, environment.answersForIssuers === true),
    redirect_uri: `https://%REQ(:authority)%${callback}`,
    redirect_path_matcher: { path: { exact: callback } },
    signout_path: { path: { exact: signOut } },
    // All hosts: hostports of the edge share one filter.
    allowed_redirect_domains: hosts,
    credentials: {
      // Envoy puts it into the address of the issuer as it is; the gateway sends the declared one for codes.
      client_id: environment.answersForIssuers ? encodeURIComponent(oidc.client_id) : oidc.client_id,
      token_secret: secretNamed(secretName),
      hmac_secret: secretNamed(keyName),
      cookie_names: cookies,
    },
  };
  const name = `sign-in ${id}`;
  return {
    on: {
      [SIGNING_IN]: turnOn(),
      [name]: turnOn(),
      ...(environment.recording ? { [SIGNED_IN]: turnOn() } : {}),
    },
    cookie: cookies.oauth_hmac,
    idToken: idTokenCheck(
      route,
      oidc,
      { cookie: cookies.id_token, longest: rules.longest },
      backends,
      environment,
    ),
    mayEnd: mayEnd(host),
    filters: [
      returnHere(),
      signingIn(),
      { ...extension(name, "envoy.extensions.filters.http.oauth2.v3.OAuth2", { config }), disabled: true },
    ],
    callback,
    signOut,
    secrets: [secret(secretName, oidc.client_secret), secret(keyName, key)],
  };
}

const endpointsOf = (
  issuer: Issuer,
  rules: SessionRules,
  backends: Backends,
  { answersForIssuers }: Environment,
): Json => ({
  token_endpoint: answersForIssuers
    ? {
        uri: `http://gateway/${SESSION}/${rulesText(rules)}`,
        cluster: backends.gatewaySocket(ISSUER_SOCKET),
        timeout: "15s",
      }
    : { uri: issuer.tokenEndpoint, cluster: backends.forUrl(issuer.tokenEndpoint), timeout: "5s" },
  authorization_endpoint: issuer.authorizationEndpoint,
});

/** The scopes that the issuer is asked for, what a session keeps, and how long it lasts. */
const sessionOf = (oidc: HttpsEdgeRoutesOidc, rules: SessionRules, answersForIssuers: boolean): Json => ({
  cookie_configs: COOKIE_SETTINGS,
  auth_scopes: [...new Set(["openid", ...oidc.scopes])],
  disable_access_token_set_cookie: true,
  disable_id_token_set_cookie: !rules.keepsIdToken,
  // It is the session that says when it ends.
  use_access_token_expiry_for_id_token_cookie: true,
  token_cookie_chunking: rules.keepsIdToken ? {} : undefined,
  // The gateway's own: one of an issuer would turn a cookie with a wrong signature into a good one.
  use_refresh_token: answersForIssuers && rules.idle > 0,
  default_refresh_token_expires_in: rules.idle > 0 ? `${rules.idle}s` : undefined,
  deny_redirect_matcher: NOT_NAVIGATING,
  ...(oidc.options_passthrough
    ? { pass_through_matcher: [{ name: ":method", string_match: { exact: "OPTIONS" } }] }
    : {}),
});

const rulesOf = (oidc: HttpsEdgeRoutesOidc, project: string): SessionRules => ({
  project,
  issuer: oidc.issuer,
  clientId: oidc.client_id,
  longest: oidc.maximum_duration || DAY,
  idle: oidc.inactivity_timeout,
  keepsIdToken: asksClaims(oidc),
});

/** Other limits have another key: a session of earlier ones outlives none of these. */
const sessionKey = (route: string, rules: SessionRules, key: string): string =>
  createHmac("sha256", key)
    .update(JSON.stringify([route, boundTo(rules)]))
    .digest("base64");

/** Requests that no person navigates. A header that is absent matches nothing, inverted or not. */
const NOT_NAVIGATING: readonly Json[] = NAVIGATED.map(([name, pattern]) => ({
  name,
  string_match: { safe_regex: { regex: `(?:${pattern})?` } },
  invert_match: true,
}));

const RETURN = "return";
/** Sends users who come back from the issuer, or sign out, to a path of the host and port that they asked. */
const returnHere = (): Json => ({
  ...script(
    RETURN,
    `function envoy_on_request(handle)
  handle:streamInfo():dynamicMetadata():set("${RETURN}", "host", handle:headers():get(":authority"))
end
function envoy_on_response(handle)
  local headers = handle:headers()
  local location = headers:get("location")
  if location == nil then return end
  local host = handle:streamInfo():dynamicMetadata():get("${RETURN}")["host"]
  local path = string.match(location, "^%a+://[^/?#\\\\]*(.*)$") or ""
  headers:replace("location", "https://" .. host .. "/" .. string.gsub(path, "^[/\\\\%s%c]+", ""))
end`,
  ),
  disabled: true,
});
export const returning = (): Json => ({ [RETURN]: turnOn() });

/**
 * Browsers say which site sent a form. A client that does not say it is not a browser, so another site cannot
 * use it.
 */
function mayEnd(host: string): Json[] {
  const own = isWildcard(host) ? `[^.:/]+${escapeRegex(host.slice(1))}` : escapeRegex(host);
  const fromHere = (name: string, regex: string): Json => ({
    or_rules: {
      rules: [
        { not_rule: { header: { name, present_match: true } } },
        { header: { name, string_match: { safe_regex: { regex } } } },
      ],
    },
  });
  return [fromHere("origin", `https://${own}(?::[0-9]+)?`), fromHere("sec-fetch-site", "same-origin|none")];
}

const secret = (name: string, inline_string: string): Json => ({
  name,
  generic_secret: { secret: { inline_string } },
});
