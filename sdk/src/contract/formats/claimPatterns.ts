import { conditioned, map, word } from "../core/fields";
import { mark } from "../core/marks";
import { mistakeInClaim } from "./claim";

const MOST_CLAIMS = 16;
/** Of a claim's name, in characters. */
const LONGEST_NAME = 255;
/** Of a pattern, in characters. GitHub's `sub` and `job_workflow_ref` come near a thousand. */
const LONGEST_PATTERN = 1024;

/** Claims that an identity token has to have: a map of the claim to a text, where `*` stands for any text. */
export const claimPatterns = () =>
  mark(
    conditioned(
      map(conditioned(word(LONGEST_NAME), mistakeInClaim), word(LONGEST_PATTERN), MOST_CLAIMS),
      (claims) =>
        Object.values(claims).some(isPinned)
          ? undefined
          : 'must hold a claim that names who it admits: a text without "*", or with "*" only behind its last "/" or ":", after more than a label; "repo:acme/*" does, "repo:acme*" and "repo:*" admit strangers',
    ).meta({ minProperties: 1 }),
    { userKeys: true },
  );

/**
 * Whether a pattern admits one name, or what is below one name. An issuer is shared by many, so `repo:acme*`
 * also admits `repo:acme-evil/x`, and `repo:*` everybody: a word before a colon is a label, which names
 * nobody.
 */
export function isPinned(pattern: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return true;
  const name = pattern.slice(0, Math.max(pattern.lastIndexOf("/"), pattern.lastIndexOf(":")) + 1);
  return star >= name.length && /[^/:]/.test(name) && !/^[a-z_-]+:$/i.test(name);
}
