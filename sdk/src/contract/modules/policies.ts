import { z } from "zod";
import { conditioned, MOST_ENTRIES, map, module, object, text, word } from "../core/fields";
import { mark, type Rule } from "../core/marks";
import { messageOf } from "../core/validate";
import { expression, notServed, SERVED_EXPRESSIONS } from "../formats/expression";

const LONGEST_METADATA = 4096;

/** Any JSON object, up to a size. */
const logMetadata = conditioned(z.record(z.string(), z.unknown()), (value) => {
  const size = Buffer.byteLength(JSON.stringify(value));
  return size > LONGEST_METADATA
    ? `is ${size} bytes long as JSON; at most ${LONGEST_METADATA} bytes are allowed, so shorten it`
    : undefined;
});

/** The config of each action. The spec leaves it open; these are ours (api-decisions "TLS edges"). */
const ACTION_CONFIGS = {
  deny: z.strictObject({ status_code: z.int().min(400).max(599).optional() }),
  log: z.strictObject({ metadata: logMetadata.optional() }),
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

/** The configs in words, for the documentation. */
const CONFIG_DOCS = [
  "`deny`: `status_code` (400 to 599, optional).",
  `\`log\`: \`metadata\` (any JSON object of at most ${LONGEST_METADATA} bytes, optional).`,
  '`rate-limit`: `name`, `capacity` (requests, at least 1), `rate` (the time that they are counted in, such as "60s", "5m" or "1h"), `algorithm` ("sliding_window", optional), `bucket_key` (up to 100 names of what is counted apart, optional).',
  "`url-rewrite`: `from` and `to` (up to 2048 characters each).",
];
const HTTP_CONFIG_DOCS = [
  "`custom-response`: `status_code` (100 to 599), `content` (up to 64 KiB, optional), `headers` (up to 100 texts by name, optional).",
];

/** Actions that answer with HTTP, which a TLS edge does not speak. */
const HTTP_ACTION_CONFIGS = {
  "custom-response": z.strictObject({
    status_code: z.int().min(100).max(599),
    content: text(65_536).optional(),
    headers: map(word(255), text(4096, "characters")).optional(),
  }),
} as const;

const ALL_ACTION_CONFIGS = { ...ACTION_CONFIGS, ...HTTP_ACTION_CONFIGS };
type ActionType = keyof typeof ALL_ACTION_CONFIGS;

const configFitsType = (http: boolean): Rule<{ type?: ActionType; config?: unknown }> =>
  function* (action) {
    const { type } = action;
    if (!http && type !== undefined && type in HTTP_ACTION_CONFIGS) {
      yield { path: ["type"], message: `${JSON.stringify(type)} answers with HTTP; it works on routes of HTTPS edges only` };
      return;
    }
    if (type === undefined || action.config === undefined) return;
    const schema = ALL_ACTION_CONFIGS[type];
    for (const issue of schema.safeParse(action.config).error?.issues ?? []) {
      if (issue.code === "unrecognized_keys") {
        const accepted = Object.keys(schema.shape).join(", ");
        for (const key of issue.keys)
          yield { path: ["config", key], message: `is not a setting of the action ${type}; accepted: ${accepted}` };
      } else {
        yield { path: ["config", ...issue.path], message: `${messageOf(issue, action.config)}, for action ${type}` };
      }
    }
  };

const action = (http: boolean) =>
  object(
    {
      type: z.enum(Object.keys(ALL_ACTION_CONFIGS) as ActionType[]).meta({ description: "The type of the action." }),
      config: mark(map(text(255, "characters"), z.unknown()), { userKeys: true })
        .default({})
        .meta({
          description: `Settings of the action, by its type. ${(http ? [...CONFIG_DOCS, ...HTTP_CONFIG_DOCS] : CONFIG_DOCS).join(" ")} Their names are sent as written.`,
        }),
    },
    { rules: [configFitsType(http)] },
  );

const policy = (http: boolean) =>
  object(
    {
      name: text(255, "characters").default("").meta({ description: "A name for people." }),
      expressions: z
        .array(expression())
        .max(MOST_ENTRIES)
        .default([])
        .meta({
          description: `Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve ${SERVED_EXPRESSIONS}; other CEL is stored, and a preview warns about it.`,
        }),
      actions: z.array(action(http)).min(1).max(MOST_ENTRIES).meta({ description: "The actions, in the order in which they run." }),
    },
    { warnings: [beyondGateways] },
  );

/** A warning and no rule, because clients of the public API send expressions that our gateways do not know. */
const beyondGateways: Rule = function* ({ expressions }) {
  for (const [index, text] of (Array.isArray(expressions) ? expressions : []).entries()) {
    const names = typeof text === "string" ? notServed(text) : [];
    if (names.length > 0)
      yield {
        path: ["expressions", index],
        message: `uses ${names.join(", ")}, which no gateway serves; gateways serve ${SERVED_EXPRESSIONS}`,
      };
  }
};

const list = (http: boolean, doc: string) => z.array(policy(http)).max(MOST_ENTRIES).default([]).meta({ description: doc });

/** spec "EndpointPolicies", "EndpointPolicy", "EndpointAction". */
export const policies = ({ http = false } = {}) =>
  module(
    { doc: "Conditions and actions on inbound and outbound traffic." },
    { inbound: list(http, "Policies for inbound traffic."), outbound: list(http, "Policies for outbound traffic.") },
  );
