import { z } from "zod";
import { conditioned, distinct, MAX_ENTRIES, module, object, text, word } from "../core/fields";
import type { Rule } from "../core/marks";
import { mistakeInControls, mistakeInHeader } from "../formats/http";
import { httpsUrl, webUrl } from "../formats/url";
import { requireClaims } from "./requireClaims";

/**
 * Asymmetric algorithms of RFC 7518 section 3.1 and RFC 8037: those who check a signature hold no shared
 * secrets.
 */
export const JWT_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
] as const;

const someOf = <E extends z.ZodType>(element: E, doc: string) =>
  distinct(z.array(element).min(1).max(MAX_ENTRIES), (entry) => JSON.stringify(entry)).meta({
    description: doc,
  });

const allowList = <V extends z.ZodType>(value: V, doc: string) =>
  object({
    allow_list: someOf(object({ value: value.meta({ description: "An allowed value." }) }), doc),
  }).meta({ description: doc });

const namesHeader: Rule = function* ({ method, name }) {
  if (method !== "header" || typeof name !== "string") return;
  const mistake = mistakeInHeader(name);
  if (mistake) yield { path: ["name"], message: mistake };
};

const tokenLocation = () =>
  object(
    {
      type: z
        .enum(["jwt", "at+jwt", "it+jwt"])
        .meta({ description: "The type of token, as a hint for parsing." }),
      method: z
        .enum(["header", "body"])
        .meta({ description: "The part of the request that holds the token." }),
      name: word(255).meta({ description: "The name of the header or of the body's field." }),
      prefix: conditioned(text(255, "characters"), mistakeInControls)
        .default("")
        .meta({ description: "A prefix to remove before the token, for example `Bearer `." }),
    },
    { rules: [namesHeader] },
  );

/** spec "JWT validation module". */
export const jwtValidation = () =>
  module(
    { name: "EndpointJWTValidation", doc: "Admits only requests with a valid JSON Web Token." },
    {
      options_passthrough: z
        .boolean()
        .default(false)
        .meta({ description: "Whether OPTIONS requests pass without a token, as CORS requires." }),
      issuer: allowList(webUrl(), "Issuers whose tokens are accepted."),
      audience: allowList(word(2048), "Audiences; a token must name one of them."),
      http: object({ tokens: someOf(tokenLocation(), "The places where a token may be.") }).meta({
        description: "The place of the token in a request.",
      }),
      jws: object({
        allowed_algorithms: someOf(z.enum(JWT_ALGORITHMS), "Algorithms that a signature may use."),
        keys: object({
          sources: object({ additional_jkus: someOf(httpsUrl(), "URLs of JSON Web Key Sets.") }).meta({
            description: "Where keys come from.",
          }),
        }).meta({ description: "Keys that signatures are checked with." }),
      }).meta({ description: "How signatures are checked." }),
      require_claims: requireClaims("a token"),
    },
  );
