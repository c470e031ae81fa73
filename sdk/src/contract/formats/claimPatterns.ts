import { conditioned, map, word } from "../core/fields";
import { mark } from "../core/marks";
import { mistakeInClaim } from "./claim";

const MAX_CLAIMS = 16;
/** Of a claim's name, in characters. */
const MAX_NAME_LENGTH = 255;
/** Of a pattern, in characters. GitHub's `sub` and `job_workflow_ref` come near a thousand. */
const MAX_PATTERN_LENGTH = 1024;

/** Claims that an identity token has to have: a map of the claim to a text, where `*` stands for any text. */
export const claimPatterns = () =>
  mark(
    conditioned(
      map(conditioned(word(MAX_NAME_LENGTH), mistakeInClaim), word(MAX_PATTERN_LENGTH), MAX_CLAIMS),
      (claims) =>
        Object.entries(claims).some(([claim, pattern]) => isPinned(claim, pattern))
          ? undefined
          : 'must hold a claim that names who it admits (not `iss`, `aud`, a time, nor true or false): a whole text, or one that begins with a whole name before its first "*", such as {"sub": "repo:acme/infra:*"}; "repo:acme*", "repo:*" and "https://*" admit strangers',
    ).meta({ minProperties: 1 }),
    { userKeys: true },
  );

/** Says who signed a token, for whom, when and as what (RFC 7519): the same for everybody at an issuer. */
const OF_EVERYBODY = ["iss", "aud", "exp", "nbf", "iat", "jti", "typ"];
/** `email_verified` is true for half the world. */
const YES_OR_NO = ["true", "false"];
/** A scheme, or words before colons that say what follows, and name nobody; Kubernetes has two of them. */
const LABEL = /^(?:system:serviceaccount:|[a-z_][a-z0-9+._-]*:(?:\/\/)?)/i;

/** Blanks, dots and dashes name nobody. */
const NAMING = /[\p{L}\p{N}]/u;

/**
 * Whether a claim admits one name, or what is below one name. An issuer is shared by many, so `repo:acme*`
 * also admits `repo:acme-evil/x`, and `repo:*` everybody: before its first `*` there must be a whole segment,
 * up to its `/` or `:`, besides a scheme or a label.
 */
export function isPinned(claim: string, pattern: string): boolean {
  if (OF_EVERYBODY.includes(claim) || YES_OR_NO.includes(pattern)) return false;
  const star = pattern.indexOf("*");
  const before = pattern.slice(0, star);
  const segments = before.slice(0, Math.max(before.lastIndexOf("/"), before.lastIndexOf(":")) + 1);
  return NAMING.test(star < 0 ? pattern : segments.replace(LABEL, ""));
}
