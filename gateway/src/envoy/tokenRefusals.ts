import type { Backends } from "./backends";
import { shortHash } from "./hostports";
import { ISSUER_SOCKET, issuerPath, UNKNOWN_KEY } from "./issuers";
import { type Json, type NamedFilter, script } from "./json";
import { metadataFilter, TOKEN_MARK, whereMetadata } from "./metadata";

/** Where the filter that checks tokens says what is wrong with one. */
export const FAILED = "failed";
const CHECKED = "envoy.filters.http.jwt_authn";
const MISSING = "Jwt is missing";

/** Marks of how far a request came, which tell the answers of the filters between them apart. */
export const STEPS = ["token read", "token good", "token passed"] as const;

/** @param exact the filter for the token's parts; @param claims the one for its claims */
export const stepping = (exact: Json, claims: Json): Json[] => {
  const [read, good, passed] = STEPS.map((step) => metadataFilter(step, TOKEN_MARK, { step }));
  return [read, exact, good, claims, passed] as Json[];
};

/** What is wrong with a token where the keys of its issuer may have changed. */
const OTHER_KEY = ["Jwks doesn't have key to match kid or alg from Jwt", "Jwt verification fails"];

/** Tells the gateway of tokens with keys that Envoy does not have; it asks the issuer in its own time. */
export function tellingUnknownKeys(keySets: readonly string[], backends: Backends): NamedFilter {
  const cluster = backends.gatewaySocket(ISSUER_SOCKET);
  const calls = keySets.map(
    (uri) =>
      `  handle:httpCall("${cluster}", {[":method"] = "POST", [":path"] = "${issuerPath(UNKNOWN_KEY, uri)}", [":authority"] = "gateway"}, "", 1000, true)`,
  );
  const code = `function envoy_on_response(handle)
  local said = handle:streamInfo():dynamicMetadata():get("${CHECKED}")
  local failed = said and said["${FAILED}"]
  if not failed then return end
  local message = failed["message"]
  if ${OTHER_KEY.map((one) => `message ~= "${one}"`).join(" and ")} then return end
${calls.join("\n")}
end`;
  const name = `unknown keys ${shortHash(code)}`;
  return { ...script(name, code), name, disabled: true };
}

/** Says in which of the ways of RFC 6750 section 3.1 a token was refused, and nothing else of it. */
export const refusedTokens = (): Json[] => [
  saying('Bearer realm="token"', [where(CHECKED, [FAILED, "message"], MISSING), isAt(undefined)]),
  saying(
    `Bearer error="invalid_token", error_description="%DYNAMIC_METADATA(${CHECKED}:${FAILED}:message)%"`,
    [whereMetadata(CHECKED, [FAILED, "message"], { present_match: true }), isAt(undefined)],
  ),
  saying(
    `Bearer error="invalid_token", error_description="Its algorithm, audience or critical extensions are not accepted"`,
    [isAt(STEPS[0])],
  ),
  saying(
    `Bearer error="insufficient_scope", error_description="Its claims are not those that are asked for"`,
    [isAt(STEPS[1])],
  ),
];

const where = (namespace: string, keys: readonly string[], exact: string, orAbsent = false): Json =>
  whereMetadata(namespace, keys, { string_match: { exact } }, orAbsent);

/** @param step the last that it took; undefined for none */
const isAt = (step: string | undefined): Json =>
  where(TOKEN_MARK, ["step"], step ?? "none", step === undefined);

const saying = (value: string, filters: readonly Json[]): Json => ({
  filter: filters.length > 1 ? { and_filter: { filters } } : filters[0],
  headers_to_add: [
    { header: { key: "www-authenticate", value }, append_action: "OVERWRITE_IF_EXISTS_OR_ADD" },
  ],
});
