import { pathOfClaim } from "@tunnelplane/sdk/contract";
import { asksVerified, claimTest, type RequiredClaims, VERIFIED } from "@tunnelplane/sdk/rules";
import type { Json } from "./json";

export const asksClaims = ({ require_claims = {} }: { readonly require_claims?: RequiredClaims }): boolean =>
  Object.keys(require_claims).length > 0;

/** Rules that all of these claims must pass. @param payload where the JWT filter has written them */
export const claimsIn = (payload: string, required: RequiredClaims = {}): Json[] => [
  ...Object.entries(required).map(([name, texts]) =>
    claimed([payload, ...pathOfClaim(name)], texts.flatMap(valuesOf)),
  ),
  ...(asksVerified(required) ? [found([payload, VERIFIED], { bool_match: true })] : []),
];

/** Whether a claim, or an entry of a list, is one of these values. */
export const claimed = (path: readonly string[], values: readonly Json[]): Json =>
  anyOf(values.flatMap((value) => [found(path, value), found(path, { list_match: { one_of: value } })]));

export const anyOf = (rules: readonly Json[]): Json => ({ or_rules: { rules } });

/** Whether what the JWT filter has written under a key is a value. */
export const found = (path: readonly string[], value: Json): Json => ({
  sourced_metadata: {
    metadata_matcher: { filter: "envoy.filters.http.jwt_authn", path: path.map((key) => ({ key })), value },
  },
});

function valuesOf(text: string): Json[] {
  const test = claimTest(text);
  const string_match = "exact" in test.text ? test.text : { safe_regex: { regex: test.text.regex } };
  return [{ string_match }, ...othersOf(test.other)];
}

/** Every number: those of JSON are doubles. */
const ANY_NUMBER: Json = { double_match: { range: { start: -Number.MAX_VALUE, end: Number.MAX_VALUE } } };

function othersOf(other: ReturnType<typeof claimTest>["other"]): Json[] {
  if (other === "any") return [{ bool_match: true }, { bool_match: false }, ANY_NUMBER];
  if (other === undefined) return [];
  return [typeof other === "number" ? { double_match: { exact: other } } : { bool_match: other }];
}
