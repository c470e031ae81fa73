import type { HttpsEdgeRoutesJwtValidation } from "@tunnelplane/sdk";
import { present } from "@tunnelplane/sdk/contract";
import type { Backends } from "./backends";
import { type Json, typed } from "./json";
import { Unservable } from "./model";

/** How long keys are used before they are asked for again; an issuer that changes keys publishes both for longer. */
const KEYS_FOR = "300s";

/** A route's token checks: entries of the filter's tables, and the rules for their algorithms. */
export interface TokenCheck {
  readonly providers: Readonly<Record<string, Json>>;
  readonly requirement: Json;
  readonly algorithms: Json;
}

export function tokenCheck(route: string, jwt: HttpsEdgeRoutesJwtValidation, backends: Backends): TokenCheck {
  const body = jwt.http.tokens.find(({ method }) => method !== "header");
  if (body)
    throw new Unservable(
      `jwt_validation looks for a token in the body (${JSON.stringify(body.name)}), which gateways do not read: use a header`,
    );
  const lists = [
    jwt.issuer.allow_list,
    jwt.audience.allow_list,
    jwt.http.tokens,
    jwt.jws.allowed_algorithms,
    jwt.jws.keys.sources.additional_jkus,
  ];
  if (lists.some((list) => list.length === 0))
    throw new Unservable("a list of jwt_validation is empty, so that no token could pass: fill it, or disable the module");
  const providers: Record<string, Json> = {};
  for (const { value: issuer } of jwt.issuer.allow_list)
    for (const uri of jwt.jws.keys.sources.additional_jkus)
      providers[`${route}.${Object.keys(providers).length}`] = {
        issuer,
        audiences: jwt.audience.allow_list.map(({ value }) => value),
        from_headers: jwt.http.tokens.map(({ name, prefix }) => ({ name, ...(prefix === "" ? {} : { value_prefix: prefix }) })),
        forward: true,
        header_in_metadata: "header",
        remote_jwks: {
          http_uri: { uri, cluster: backends.forUrl(uri), timeout: "2s" },
          cache_duration: KEYS_FOR,
          // Fetched beforehand: requests with tokens that nobody signed cause none to the issuer.
          async_fetch: {},
        },
      };
  const names = Object.keys(providers).map((provider_name) => ({ provider_name }));
  return {
    providers,
    requirement: names.length > 1 ? { requires_any: { requirements: names } } : present(names[0]),
    algorithms: algorithmIn(jwt.jws.allowed_algorithms),
  };
}

/** The filter writes the token's header into metadata once its signature is right. */
const algorithmIn = (allowed: readonly string[]): Json => ({
  or_rules: {
    rules: allowed.map((exact) => ({
      sourced_metadata: {
        metadata_matcher: {
          filter: "envoy.filters.http.jwt_authn",
          path: [{ key: "header" }, { key: "alg" }],
          value: { string_match: { exact } },
        },
      },
    })),
  },
});

export const requireToken = (requirement_name: string): Json =>
  typed("envoy.extensions.filters.http.jwt_authn.v3.PerRouteConfig", { requirement_name });
