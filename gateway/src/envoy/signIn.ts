import { createHmac } from "node:crypto";
import type { HttpsEdgeRoutesOidc } from "@tunnelplane/sdk";
import type { Backends } from "./backends";
import { extension, type Json, typed } from "./json";
import { type Surroundings, Unreachable, Unservable } from "./model";
import { shortHash } from "./names";
import { OWN_PATHS } from "./paths";

export interface SignIn {
  /** The filter that signs users in; routes turn it on. */
  readonly filter: Json;
  readonly name: string;
  readonly callback: string;
  readonly signOut: string;
  readonly secrets: Readonly<Record<string, Json>>;
  readonly renewAt: number | undefined;
}

export function signIn(route: string, oidc: HttpsEdgeRoutesOidc, port: number, backends: Backends, surroundings: Surroundings): SignIn {
  const issuer = surroundings.issuers.get(oidc.issuer);
  if (!issuer)
    throw new Unreachable(
      `the discovery document of the issuer ${oidc.issuer} was never read: is it reachable from here, and trusted (--trust)?`,
    );
  const id = shortHash(route);
  const { key, until } = sessionKey(route, oidc, surroundings);
  const [secretName, keyName] = [`${id}-client.json`, `${id}-session.json`];
  const callback = `${OWN_PATHS}callback/${route}`;
  const signOut = `${OWN_PATHS}sign-out/${route}`;
  const config = {
    token_endpoint: { uri: issuer.tokenEndpoint, cluster: backends.forUrl(issuer.tokenEndpoint), timeout: "5s" },
    authorization_endpoint: issuer.authorizationEndpoint,
    redirect_uri: `https://%REQ(:authority)%${port === 443 ? "" : `:${port}`}${callback}`,
    redirect_path_matcher: { path: { exact: callback } },
    signout_path: { path: { exact: signOut } },
    credentials: {
      client_id: oidc.client_id,
      token_secret: secretFrom(secretName, surroundings),
      hmac_secret: secretFrom(keyName, surroundings),
      cookie_names: cookies(oidc.cookie_prefix, id),
    },
    auth_scopes: [...new Set(["openid", ...oidc.scopes])],
    // With a refresh token, a cookie whose signature is wrong would be made good by it.
    use_refresh_token: false,
    ...(oidc.options_passthrough ? { pass_through_matcher: [{ name: ":method", string_match: { exact: "OPTIONS" } }] } : {}),
  };
  const name = `sign-in ${id}`;
  return {
    name,
    filter: { ...extension(name, "envoy.extensions.filters.http.oauth2.v3.OAuth2", { config }), disabled: true },
    callback,
    signOut,
    secrets: { [secretName]: secret(secretName, oidc.client_secret), [keyName]: secret(keyName, key) },
    renewAt: until,
  };
}

/**
 * Envoy ends a session when the issuer's token ends, and knows no other limit. So the key that sessions are signed with
 * changes as often as the shorter limit says: none outlives it, and most end before.
 */
function sessionKey(
  route: string,
  oidc: HttpsEdgeRoutesOidc,
  { sessionKey, now }: Surroundings,
): { key: string; until: number | undefined } {
  const limits = [oidc.inactivity_timeout, oidc.maximum_duration].filter((seconds) => seconds > 0);
  const length = Math.min(...limits) * 1000;
  const turn = limits.length === 0 ? 0 : Math.floor(now / length);
  const key = createHmac("sha256", sessionKey)
    .update(JSON.stringify([route, oidc.issuer, oidc.client_id, turn]))
    .digest("base64");
  return { key, until: limits.length === 0 ? undefined : (turn + 1) * length };
}

function cookies(prefix: string, id: string): Json {
  const start = `${prefix === "" ? "tunnelplane" : prefix}_${id}`;
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(start))
    throw new Unservable(`cookie_prefix ${JSON.stringify(prefix)} holds what no cookie's name may: use letters, digits, - and _`);
  return {
    bearer_token: `${start}_token`,
    oauth_hmac: `${start}_hmac`,
    oauth_expires: `${start}_expires`,
    id_token: `${start}_id`,
    refresh_token: `${start}_refresh`,
    oauth_nonce: `${start}_nonce`,
    code_verifier: `${start}_verifier`,
  };
}

const secretFrom = (name: string, { secrets }: Surroundings): Json => ({
  name,
  sds_config: { path_config_source: { path: `${secrets}/${name}`, watched_directory: { path: secrets } }, resource_api_version: "V3" },
});

const secret = (name: string, inline_string: string): Json => ({
  resources: [typed("envoy.extensions.transport_sockets.tls.v3.Secret", { name, generic_secret: { secret: { inline_string } } })],
});
