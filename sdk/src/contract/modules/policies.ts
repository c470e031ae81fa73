import { z } from "zod";
import { conditioned, MOST_ENTRIES, map, module, object, text, word } from "../core/fields";
import { isOptional, mark, type Rule } from "../core/marks";
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

const said = <S extends z.ZodType>(schema: S, description: string): S => schema.meta({ description });

/** The config of each action. The spec leaves it open; these are ours (api-decisions "TLS edges"). */
const ACTION_CONFIGS = {
  deny: z.strictObject({ status_code: said(z.int().min(400).max(599).optional(), "The status of the answer, 400 to 599.") }),
  log: z.strictObject({
    metadata: said(logMetadata.optional(), `Any JSON object of at most ${LONGEST_METADATA} bytes, written with each line.`),
  }),
  "rate-limit": z.strictObject({
    name: said(word(255), "A name for the limit."),
    algorithm: said(z.enum(["sliding_window"]).optional(), 'How requests are counted: "sliding_window".'),
    capacity: said(z.int().min(1), "How many requests pass, at least 1."),
    rate: said(
      z
        .string()
        .max(16)
        .regex(/^[1-9]\d*(s|m|h)$/, 'must be a duration such as "60s", "5m" or "1h"'),
      'The time that they are counted in, such as "60s", "5m" or "1h".',
    ),
    bucket_key: said(z.array(word(255)).min(1).max(MOST_ENTRIES).optional(), `Up to ${MOST_ENTRIES} names of what is counted apart.`),
  }),
  "url-rewrite": z.strictObject({
    from: said(word(2048), "What is replaced, up to 2048 characters."),
    to: said(word(2048), "What takes its place, up to 2048 characters."),
  }),
} as const;

/** Actions that answer with HTTP, which a TLS edge does not speak. */
const HTTP_ACTION_CONFIGS = {
  "custom-response": z.strictObject({
    status_code: said(z.int().min(100).max(599), "The status of the response, 100 to 599."),
    content: said(text(65_536).optional(), "The body of the response, up to 64 KiB."),
    headers: said(map(word(255), text(4096, "characters")).optional(), `Up to ${MOST_ENTRIES} headers of the response, texts by name.`),
  }),
} as const;

/** What the configs hold, in words, for whoever declares them. */
const configDocs = (configs: Readonly<Record<string, z.ZodObject>>): string =>
  Object.entries(configs)
    .map(([type, { shape }]) => {
      const settings = Object.entries(shape as Record<string, z.ZodType>).map(
        ([name, setting]) => `\`${name}\` (${isOptional(setting) ? "optional" : "required"}): ${setting.meta()?.description}`,
      );
      return `\`${type}\`: ${settings.join(" ")}`;
    })
    .join(" ");

const ALL_ACTION_CONFIGS = { ...ACTION_CONFIGS, ...HTTP_ACTION_CONFIGS };
type ActionType = keyof typeof ALL_ACTION_CONFIGS;

/** The types of actions: all on routes of HTTPS edges, those without HTTP on TLS edges. */
const actionTypes = (http: boolean) => z.enum(Object.keys(http ? ALL_ACTION_CONFIGS : ACTION_CONFIGS) as ActionType[]);

const configFitsType = (): Rule<{ type?: ActionType; config?: unknown }> =>
  function* (action) {
    const { type } = action;
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

/** Policies of routes know more actions, so their shapes have names of their own. */
const named = (what: string, http: boolean): string => `Endpoint${http ? "HTTP" : ""}${what}`;

const action = (http: boolean) =>
  object(
    {
      type: actionTypes(http).meta({
        description: http
          ? "The type of the action."
          : "The type of the action; actions that answer with HTTP work on routes of HTTPS edges only.",
      }),
      config: mark(map(text(255, "characters"), z.unknown()), { userKeys: true })
        .default({})
        .meta({
          description: `Settings of the action, by its type. ${configDocs(http ? ALL_ACTION_CONFIGS : ACTION_CONFIGS)} Their names are sent as written.`,
        }),
    },
    {
      name: named("Action", http),
      rules: [configFitsType()],
      variants: { by: "type", field: "config", shapes: http ? ALL_ACTION_CONFIGS : ACTION_CONFIGS },
    },
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
    { name: named("Policy", http), warnings: [beyondGateways] },
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
    { name: named("Policies", http), doc: "Conditions and actions on inbound and outbound traffic." },
    { inbound: list(http, "Policies for inbound traffic."), outbound: list(http, "Policies for outbound traffic.") },
  );
