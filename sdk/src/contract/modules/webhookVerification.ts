import { z } from "zod";
import { module, word } from "../core/fields";
import { mark } from "../core/marks";

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
          "The secret that the service signs with; for GitLab, its token. Answers show null. An update that leaves it out keeps the one that is stored.",
      }),
    },
  );
