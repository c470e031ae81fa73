import { z } from "zod";
import { mark } from "../../contract/core/marks";
import type { Verdict } from "../judgement/check";
import { asksVerified, lackingClaim, type RequiredClaims, VERIFIED } from "../judgement/rules/claims";
import { ending, refused, unsure } from "../judgement/verdicts";
import type { ModelObject } from "../model";
import { type Fields, inOrder, isObject, textsIn } from "../values";
import { documented, listedText } from "./shown";

/** The claims that a module asks for, in the order of their names; undefined if it asks for none. */
export function readClaims(fields: Fields): RequiredClaims | undefined {
  const { require_claims: required } = fields;
  if (!isObject(required) || Object.keys(required).length === 0) return undefined;
  return Object.fromEntries(
    Object.entries(required)
      .sort(([a], [b]) => inOrder(a, b))
      .map(([name, texts]) => [name, textsIn(texts)]),
  );
}

/**
 * The claim for which a request is refused; undefined if all are as required.
 *
 * @param of the holder of the claims, in words: "the token"
 */
export function claimsCheck(
  { holder, field, of }: { readonly holder: ModelObject; readonly field: string; readonly of: string },
  required: RequiredClaims | undefined,
): (claims: Readonly<Record<string, unknown>> | undefined) => Verdict | undefined {
  if (!required) return () => undefined;
  const unrecorded = unsure(holder, field, `The claims of ${of} are not recorded.`);
  const names = [...Object.keys(required), ...(asksVerified(required) ? [VERIFIED] : [])];
  const lacking = new Map(
    names.map((name) => [name, ending(holder, field, sentenceOf(name, of, required), refused(403))]),
  );
  return (claims) => {
    if (!claims) return unrecorded;
    const name = lackingClaim(claims, required);
    return name === undefined ? undefined : lacking.get(name);
  };
}

const sentenceOf = (name: string, of: string, required: RequiredClaims): string =>
  Object.hasOwn(required, name)
    ? `The claim \`${name}\` of ${of} is none of those that are asked for.`
    : `The claim \`${name}\` of ${of} is not \`true\`, and the address is asked for.`;

/** Names of claims are their users' own. */
export const claimsSchema = (doc: string) =>
  mark(documented(z.record(z.string(), z.array(z.string())).optional(), doc), { userKeys: true });

/** The end of a line about a check; empty if no claims are asked for. */
export const ifClaimed = (claims: RequiredClaims = {}): string => {
  const conditions = Object.entries(claims).map(([name, texts]) => `${name} is ${listedText(texts)}`);
  return conditions.length > 0 ? `, if ${listedText(conditions)}` : "";
};

/** Claims in words: "`groups` is `ops` or `dev`". */
export const claimTexts = (claims: RequiredClaims): string[] =>
  Object.entries(claims).map(
    ([name, texts]) => `\`${name}\` is ${texts.map((text) => `\`${text}\``).join(" or ")}`,
  );
