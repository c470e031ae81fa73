import { z } from "zod";
import { module, word } from "../core/fields";
import { mark, type Rule } from "../core/marks";

/** The services whose signatures gateways check. */
export const WEBHOOK_PROVIDERS = [
  "github",
  "gitlab",
  "shopify",
  "slack",
  "stripe",
  "svix",
  "twilio",
] as const;

/** The mistake in the secret of a service; undefined if it can be one. */
export const mistakeInSecret = (provider: unknown, secret: string): string | undefined =>
  provider !== "svix" || /^(?:whsec_)?[A-Za-z0-9+/]{2,}={0,2}$/.test(secret)
    ? undefined
    : "must be `whsec_` and base64 for the provider svix: copy the endpoint's signing secret as Svix shows it";

const secretFits: Rule = function* ({ provider, secret }) {
  const mistake = typeof secret === "string" && secret !== "" && mistakeInSecret(provider, secret);
  if (mistake) yield { path: ["secret"], message: mistake };
};

/** names.md "Modules of HTTPS routes". */
export const webhookVerification = () =>
  module(
    {
      name: "EndpointWebhookValidation",
      doc: "Refuses requests that a service did not sign with a secret that you share with it. Bodies have at most 1 MiB; larger ones are answered 413.",
    },
    {
      provider: z.enum(WEBHOOK_PROVIDERS).meta({
        description: `The service that signs: ${WEBHOOK_PROVIDERS.map((name) => `\`${name}\``).join(", ")}. Signatures of Slack, Stripe and Svix may be five minutes old.`,
      }),
      secret: mark(word(4096).optional(), { secret: true, writeOnly: true }).meta({
        description:
          "The secret that the service signs with; for GitLab, its token; for Svix, `whsec_` and base64. Answers show null. An update that leaves it out keeps the one that is stored.",
      }),
    },
    { rules: [secretFits] },
  );
