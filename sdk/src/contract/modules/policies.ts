import { z } from "zod";
import { MOST_ENTRIES, map, module, object, text, word } from "../core/fields";
import { mark, type Rule } from "../core/marks";
import { messageOf } from "../core/validate";

/** What the config of each action may hold. The spec leaves it open; these are ours (api-decisions "TLS edges"). */
const ACTION_CONFIGS = {
  deny: z.strictObject({ status_code: z.int().min(400).max(599).optional() }),
  log: z.strictObject({ metadata: map(word(255), text(4096, "characters")).optional() }),
  "rate-limit": z.strictObject({
    name: word(255),
    algorithm: z.enum(["sliding_window"]).optional(),
    capacity: z.int().min(1),
    rate: z
      .string()
      .max(16)
      .regex(/^[1-9]\d*(s|m|h)$/, 'must be a duration such as "60s", "5m" or "1h"'),
    bucket_key: z.array(word(255)).min(1).max(MOST_ENTRIES).optional(),
  }),
  "url-rewrite": z.strictObject({ from: word(2048), to: word(2048) }),
} as const;

/** Actions that answer with HTTP, which a TLS edge does not speak. */
const HTTP_ACTION_CONFIGS = {
  "custom-response": z.strictObject({
    status_code: z.int().min(100).max(599),
    content: text(65_536).optional(),
    headers: map(word(255), text(4096, "characters")).optional(),
  }),
} as const;

const ALL_ACTION_CONFIGS = { ...ACTION_CONFIGS, ...HTTP_ACTION_CONFIGS };

const configFitsType = (http: boolean): Rule =>
  function* (action) {
    const type = action.type as keyof typeof ALL_ACTION_CONFIGS;
    if (!http && type in HTTP_ACTION_CONFIGS) {
      yield { path: ["type"], message: `${JSON.stringify(type)} answers with HTTP; it works on routes of HTTPS edges only` };
      return;
    }
    if (type === undefined || action.config === undefined) return;
    const schema = ALL_ACTION_CONFIGS[type];
    for (const issue of schema.safeParse(action.config).error?.issues ?? []) {
      if (issue.code === "unrecognized_keys") {
        const accepted = Object.keys(schema.shape).join(", ");
        for (const key of issue.keys) yield { path: ["config", key], message: `is no setting of action ${type}; accepted: ${accepted}` };
      } else {
        yield { path: ["config", ...issue.path], message: `${messageOf(issue, action.config)}, for action ${type}` };
      }
    }
  };

const action = (http: boolean) =>
  object(
    {
      type: z.enum(Object.keys(ALL_ACTION_CONFIGS) as [string, ...string[]]).meta({ description: "What is done." }),
      config: mark(map(text(255, "characters"), z.unknown()), { userKeys: true })
        .default({})
        .meta({
          description: "Settings of the action; what they are depends on its type. Their names are sent as they are written.",
        }),
    },
    { rules: [configFitsType(http)] },
  );

const policy = (http: boolean) =>
  object({
    name: text(255, "characters").default("").meta({ description: "A name for people." }),
    expressions: z
      .array(word(4096))
      .max(MOST_ENTRIES)
      .default([])
      .meta({ description: "Conditions; the actions run when all of them hold." }),
    actions: z.array(action(http)).min(1).max(MOST_ENTRIES).meta({ description: "What is done, in this order." }),
  });

const list = (http: boolean, doc: string) => z.array(policy(http)).max(MOST_ENTRIES).default([]).meta({ description: doc });

/** spec "EndpointPolicies", "EndpointPolicy", "EndpointAction". */
export const policies = ({ http = false } = {}) =>
  module(
    { doc: "Conditions and actions on inbound and outbound traffic." },
    { inbound: list(http, "Policies on what comes in."), outbound: list(http, "Policies on what goes out.") },
  );
