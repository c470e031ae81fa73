import { z } from "zod";
import { MAX_ENTRIES, module, word } from "../core/fields";
import { mark, type Rule } from "../core/marks";
import { cookiePrefix } from "../formats/http";
import { httpsUrl } from "../formats/url";
import { requireClaims } from "./requireClaims";

const inactivityWithinMaximum: Rule = function* ({
  inactivity_timeout: inactivity,
  maximum_duration: maximum,
}) {
  if (typeof inactivity === "number" && typeof maximum === "number" && maximum > 0 && inactivity > maximum) {
    yield {
      path: ["inactivity_timeout"],
      message: `must not be longer than \`maximum_duration\` (${maximum} s): the session is over by then`,
    };
  }
};

const seconds = (doc: string) =>
  mark(z.uint32().default(0), { zero: "no limit" }).meta({
    description: `${doc} In seconds; 0 for no limit.`,
  });

/** spec "OIDC module". */
export const oidc = () =>
  module(
    { name: "EndpointOIDC", doc: "Signs users in with an OpenID Connect provider." },
    {
      options_passthrough: z
        .boolean()
        .default(false)
        .meta({ description: "Whether OPTIONS requests pass without sign-in, as CORS requires." }),
      cookie_prefix: cookiePrefix().default("").meta({
        description:
          "Prefix of the session's cookie, at most 64 letters, digits and signs of a cookie's name (RFC 6265). Default: the service's own.",
      }),
      inactivity_timeout: seconds("Users must sign in again after this time without a request."),
      maximum_duration: seconds("Users must sign in again after this time in any case."),
      issuer: httpsUrl().meta({ description: "URL of the provider; the base of its discovery document." }),
      client_id: word(1024).meta({ description: "The app's client id, which is its audience too." }),
      client_secret: mark(word(4096), { secret: true }).meta({ description: "The app's client secret." }),
      scopes: z.array(word(255)).max(MAX_ENTRIES).default([]).meta({ description: "Scopes to request." }),
      require_claims: requireClaims("a user's ID token"),
    },
    { rules: [inactivityWithinMaximum] },
  );
