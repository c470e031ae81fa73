import type { HttpsEdgeRoutesOidc } from "@tunnelplane/sdk";
import { OWN_PATHS } from "@tunnelplane/sdk/contract";
import { refuseClaims } from "@tunnelplane/sdk/rules";
import type { Backends } from "./backends";
import { anyOf, asksClaims, claimsIn } from "./claimRules";
import { type Json, turnOn } from "./json";
import { claimsTo, keySetAt, refuseSilent, requireToken, tokenFilter } from "./jwt";
import { CLAIMS_MARK, metadataFilter, whereMetadata } from "./metadata";
import { type Environment, Unreachable } from "./model";
import { pageOf, withPage } from "./pages";
import { admitting, httpRbac, routeRbac } from "./rbac";

/**
 * A check of claims in a signed-in user's ID token: an entry for the filter's tables, and the part that the
 * route turns on.
 */
export interface IdTokenCheck {
  readonly name: string;
  readonly providers: Readonly<Record<string, Json>>;
  readonly requirement: Json;
  readonly on: Json;
}

/** Where the filter writes the claims; tokens of requests have another place. */
const PAYLOAD = "session";
const [TOKEN, CLAIMS] = ["id token", "claims"];

/**
 * The OAuth2 filter has checked the cookie's signature and opened the cookie. Nothing has checked yet whether
 * the issuer signed the token in it.
 */
export function idTokenCheck(
  route: string,
  oidc: HttpsEdgeRoutesOidc,
  { cookie, longest }: { readonly cookie: string; readonly longest: number },
  backends: Backends,
  environment: Environment,
): IdTokenCheck | undefined {
  if (!asksClaims(oidc)) return undefined;
  refuseClaims("oidc", oidc.require_claims);
  const uri = environment.issuers.get(oidc.issuer)?.jwksUri;
  if (typeof uri !== "string")
    throw new Unreachable(
      `the discovery document of the issuer ${oidc.issuer} names no jwks_uri (https), so that no claim of an ID token can be checked`,
    );
  refuseSilent(uri, backends, environment);
  const name = `${route}.id`;
  const claims = { and_rules: { rules: claimsIn(PAYLOAD, oidc.require_claims) } };
  const options = { header: { name: ":method", string_match: { exact: "OPTIONS" } } };
  const rules = admitting([oidc.options_passthrough ? anyOf([options, claims]) : claims], []);
  return {
    name,
    providers: {
      [name]: {
        issuer: oidc.issuer,
        audiences: [oidc.client_id],
        from_cookies: [cookie],
        forward: true,
        ...claimsTo(PAYLOAD),
        // The session says how long it is good: it is sealed, and came from the issuer itself.
        clock_skew_seconds: longest,
        remote_jwks: keySetAt(uri, backends, environment),
      },
    },
    // Without a good token there are no claims, and the next filter says so.
    requirement: {
      requires_any: { requirements: [{ provider_name: name }, { allow_missing_or_failed: {} }] },
    },
    on: {
      [TOKEN]: requireToken(name),
      [CLAIMS]: routeRbac(rules),
      ...Object.fromEntries(MARKS.map((mark) => [mark, turnOn()])),
    },
  };
}

/** The filters that routes turn on. They come after those that sign users in. */
export const idTokenFilters = (checks: readonly IdTokenCheck[]): Json[] =>
  checks.length > 0
    ? [tokenFilter(TOKEN, checks), marking(LACKING, true), httpRbac(CLAIMS), marking(MET, false)]
    : [];

/** Marks around the filter that refuses, which tell its answers apart from other answers of 403. */
const MARKS = ["claims lacking", "claims met"] as const;
const [LACKING, MET] = MARKS;

const marking = (name: string, lacking: boolean): Json => metadataFilter(name, CLAIMS_MARK, { lacking });

/**
 * Shows users who are signed in why they may not go on. If they were sent to sign in, they would go round in
 * circles.
 */
export const lackingClaims = (): Json => ({
  filter: whereMetadata(CLAIMS_MARK, ["lacking"], { bool_match: true }),
  ...withPage(PAGE),
});

/** Envoy puts the name of the route in, which is its id. */
const PAGE = pageOf(
  "Signed in, but not allowed",
  `<h1>You are signed in, but may not open this page</h1>
<p>Your account lacks something that this page asks for. Ask the people who run this site for access, or sign out
and use another account.</p>
<form method="post" action="${OWN_PATHS}sign-out/%ROUTE_NAME%"><button>Sign out</button></form>`,
);
