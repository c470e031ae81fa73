import { z } from "zod";
import { defineResource, type Settled, type Settling } from "../core/definition";
import { description, metadata, object, text, word } from "../core/fields";
import { mark } from "../core/marks";
import { arn } from "../formats/arn";
import { HEADER_LIMITS, MAX_WEBHOOK_HEADERS, webhookHeaders } from "../formats/http";
import { DEFAULT_SITE, site, webUrl } from "../formats/url";
import { newWebhookSecret, webhookSecret } from "../formats/webhook";

const needed = (doc: string) => word(255).meta({ description: doc });
const secret = (doc: string) => mark(word(4096), { secret: true }).meta({ description: doc });

/** spec "CloudAuth". */
const auth = () =>
  object(
    {
      role: object({
        role_ref: arn("role").meta({ description: "The role (ARN) that the server assumes to deliver." }),
      })
        .optional()
        .meta({ description: "Deliver as a role." }),
      creds: object({
        cloud_access_key_id: needed("Id of a long-term access key."),
        cloud_secret_access_key: secret("The access key's secret."),
      })
        .optional()
        .meta({ description: "Deliver with a long-term access key." }),
    },
    { name: "CloudAuth", alternatives: ["role", "creds"] },
  ).meta({ description: "How to sign in: exactly one of `role` and `creds`." });

/** The kinds of targets: where the server can send events to. */
export const EVENT_TARGETS = [
  "stream_service",
  "delivery_service",
  "log_service",
  "monitoring_service",
  "webhook",
] as const;

/** spec "EventTarget". */
const target = () =>
  object(
    {
      delivery_service: object({
        auth: auth(),
        delivery_stream_ref: arn("deliveryStream").meta({
          description: "The delivery stream (ARN).",
        }),
      })
        .optional()
        .meta({ description: "A delivery stream (Data Firehose)." }),
      stream_service: object({
        auth: auth(),
        stream_ref: arn("stream").meta({ description: "The stream (ARN)." }),
      })
        .optional()
        .meta({ description: "A stream (Kinesis Data Streams)." }),
      log_service: object({
        auth: auth(),
        log_group_ref: arn("logGroup").meta({ description: "The log group (ARN)." }),
      })
        .optional()
        .meta({ description: "A log group (CloudWatch Logs)." }),
      monitoring_service: object({
        api_key: secret("The key for the intake."),
        monitoring_tags: text(4096, "characters")
          .default("")
          .meta({ description: "Tags sent with each event." }),
        service: text(255, "characters")
          .default("")
          .meta({ description: "Service name sent with each event." }),
        monitoring_site: site()
          .default("")
          .meta({ description: `The site to send events to. Default: \`${DEFAULT_SITE}\`.` }),
      })
        .optional()
        .meta({ description: "A monitoring service (Datadog logs intake)." }),
      webhook: object({
        url: webUrl().meta({
          description:
            "Where each event is sent to, in a request of its own: an address that begins with `https://` and is on the internet; others need a server with `--allow-private-targets`. Redirects are not followed.",
          examples: ["https://hooks.example.com/tunnels"],
        }),
        secret: mark(webhookSecret().optional(), { secret: true, serverDefault: true, made: true }).meta({
          description:
            "Signs each request as Standard Webhooks says: `whsec_` and 24 to 64 bytes in base64. Left out, the server makes one, and a change that leaves it out keeps the one that is stored.",
        }),
        headers: mark(webhookHeaders().default({}), { secret: true, userKeys: true }).meta({
          description: `Headers to send with each event, by name, at most ${MAX_WEBHOOK_HEADERS}; their values are secret. ${HEADER_LIMITS.replace(/\.$/, "")}, and none that begins with \`content-\` or \`webhook-\`.`,
        }),
      })
        .optional()
        .meta({ description: "A service of your own, or anybody's, that takes signed webhooks." }),
    } satisfies Record<(typeof EVENT_TARGETS)[number], z.ZodType>,
    { name: "EventTarget", alternatives: EVENT_TARGETS },
  );

interface WithWebhook {
  readonly target?: { readonly webhook?: { readonly secret?: string } };
}

/** The secret of a webhook that names none: the stored one, or a new one. */
function withSecret(given: WithWebhook, before: WithWebhook, { dryRun }: Settling): Settled {
  const { target } = given;
  if (!target?.webhook || target.webhook.secret) return { fields: { ...given } };
  const secret = before.target?.webhook?.secret ?? (dryRun ? undefined : newWebhookSecret());
  return { fields: { ...given, target: { ...target, webhook: { ...target.webhook, secret } } } };
}

/** spec "Event destination". */
export const eventDestination = defineResource({
  type: "EventDestination",
  kind: "event_destination",
  title: "event destination",
  doc: "A service that receives events, with the credentials for it. It has no effect until a subscription names it.",
  path: "/event_destinations",
  listKey: "event_destinations",
  idPrefix: "ed",
  access: "admin",
  fields: {
    description: description(),
    metadata: metadata(),
    format: z.enum(["json"]).default("json").meta({ description: "The format of events." }),
    target: target().meta({
      description: `Exactly one of ${EVENT_TARGETS.map((name) => `\`${name}\``).join(", ")}. A change replaces the target as a whole.`,
    }),
  },
  settle: withSecret,
  sample: {
    description: "our audit trail",
    target: {
      log_service: {
        log_group_ref: "arn:aws:logs:eu-central-1:123456789012:log-group:tunnels",
        auth: { role: { role_ref: "arn:aws:iam::123456789012:role/tunnels" } },
      },
    },
  },
  example: `const audit = new tunnels.EventDestination("audit", {
  target: {
    logService: {
      logGroupRef: "arn:aws:logs:eu-central-1:123456789012:log-group:tunnels",
      auth: { role: { roleRef: "arn:aws:iam::123456789012:role/tunnels" } },
    },
  },
});`,
});
