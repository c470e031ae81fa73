import { z } from "zod";
import { conditioned, distinct, map, word } from "../core/fields";
import { mark } from "../core/marks";
import { CLAIM_PATHS, mistakeInClaim } from "../formats/claim";

const MAX_CLAIMS = 16;
const MAX_TEXTS = 32;
/** Of a claim's name, and of a text, in characters. */
const MAX_LENGTH = 255;

/** Claims that a verified token has to have. An extension of the specification. @param of whose claims */
export const requireClaims = (of: string) =>
  mark(
    map(
      conditioned(word(MAX_LENGTH), mistakeInClaim),
      distinct(z.array(word(MAX_LENGTH)).min(1).max(MAX_TEXTS)),
      MAX_CLAIMS,
    ).default({}),
    { userKeys: true },
  ).meta({
    description: [
      `Claims that ${of} must have, each with a list of texts. Every claim must match one of its texts. Default: none.`,
      "A text matches the whole claim, in its case; `*` stands for any characters but `@`: `*@example.com`.",
      "A claim may be a text, a number, true or false, or a list of them where one has to match; `*` alone is any of these.",
      "`scope` and `scp` are lists of words with spaces between (RFC 8693).",
      CLAIM_PATHS,
      "A rule for `email` asks for `email_verified: true` too.",
      `At most ${MAX_CLAIMS} claims with ${MAX_TEXTS} texts each; names and texts have at most ${MAX_LENGTH} characters.`,
    ].join(" "),
  });
