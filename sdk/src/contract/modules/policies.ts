import { z } from "zod";
import { conditioned, documented, MAX_ENTRIES, map, module, object, text, word } from "../core/fields";
import { isOptional, mark, type Rule } from "../core/marks";
import { keysOf } from "../core/narrow";
import { camelCase } from "../core/spelling";
import { messageOf } from "../core/validate";
import { expression, notServed, SERVED_EXPRESSIONS } from "../formats/expression";
import { HEADER_LIMITS, responseHeaders, responseStatus } from "../formats/http";
import { groupsIn, pattern } from "../formats/pattern";
import { durationSeconds } from "../formats/time";

const MAX_METADATA_LENGTH = 4096;
const MAX_REWRITE_LENGTH = 2048;

/** Any JSON object, up to a size. */
const logMetadata = conditioned(z.record(z.string(), z.unknown()), (value) => {
  const size = Buffer.byteLength(JSON.stringify(value));
  return size > MAX_METADATA_LENGTH
    ? `is ${size} bytes long as JSON; at most ${MAX_METADATA_LENGTH} bytes are allowed, so shorten it`
    : undefined;
});

/**
 * Limits that any configuration of Envoy bears: it reads 32 bits, and larger numbers made all of its files
 * unreadable.
 */
const MAX_REQUESTS = 1_000_000;
const MAX_RATE_S = 24 * 3600;

const rate = conditioned(text(16).meta({ pattern: "^[1-9][0-9]*[smh]$" }), (value) => {
  const seconds = /^[1-9]\d*[smh]$/.test(value) ? durationSeconds(value) : 0;
  return seconds > 0 && seconds <= MAX_RATE_S
    ? undefined
    : 'must be a duration from "1s" to "24h", such as "60s", "5m" or "1h"';
});

/** The config of each action. The spec leaves it open; these are ours (api-decisions "TLS edges"). */
const ACTION_CONFIGS = {
  deny: z.strictObject({
    status_code: documented(z.int().min(400).max(599).optional(), "The status of the answer, 400 to 599."),
  }),
  log: z.strictObject({
    metadata: documented(
      logMetadata.optional(),
      `Any JSON object of at most ${MAX_METADATA_LENGTH} bytes, written with each line.`,
    ),
  }),
  "rate-limit": z.strictObject({
    name: documented(word(255), "A name for the limit."),
    algorithm: documented(
      z.enum(["sliding_window"]).optional(),
      'How requests are counted: "sliding_window".',
    ),
    capacity: documented(z.int().min(1).max(MAX_REQUESTS), "How many requests pass, 1 to 1,000,000."),
    rate: documented(
      rate,
      'The time that they are counted in, such as "60s", "5m" or "1h", at most 24 hours.',
    ),
    bucket_key: documented(
      z.array(word(255)).min(1).max(MAX_ENTRIES).optional(),
      `Up to ${MAX_ENTRIES} values by which requests are counted separately.`,
    ),
  }),
  "url-rewrite": conditioned(
    z.strictObject({
      from: documented(
        pattern(MAX_REWRITE_LENGTH),
        "An RE2 expression for the part to replace, up to 2048 bytes.",
      ),
      to: documented(
        word(MAX_REWRITE_LENGTH),
        "The replacement, up to 2048 characters; `$1` is the first group.",
      ),
    }),
    ({ from, to }) => {
      const named = [...to.matchAll(/\$(?:\$|\{(\d)\}|(\d))/g)].map(([, braced, plain]) =>
        Number(braced ?? plain ?? 0),
      );
      const [most, groups] = [Math.max(0, ...named), groupsIn(from)];
      return groups !== undefined && most > groups
        ? `names the group $${most} in \`to\`, but \`from\` has ${groups}: name one that it has, or write "$$" for "$"`
        : undefined;
    },
  ),
} as const;

/** Actions that answer with HTTP, which a TLS edge does not speak. */
const HTTP_ACTION_CONFIGS = {
  "custom-response": z.strictObject({
    status_code: documented(responseStatus(), "The status of the response, 200 to 599."),
    content: documented(text(65_536).optional(), "The body of the response, up to 64 KiB."),
    headers: documented(
      responseHeaders().optional(),
      `Up to ${MAX_ENTRIES} headers of the response, texts by name. ${HEADER_LIMITS}`,
    ),
  }),
} as const;

/** The fields of the configs, in words, for the documentation. */
const configDocs = (configs: Readonly<Record<string, z.ZodObject>>): string =>
  Object.entries(configs)
    .map(([type, { shape }]) => {
      const settings = Object.entries(shape as Record<string, z.ZodType>).map(
        ([name, setting]) =>
          `\`${name}\` (${isOptional(setting) ? "optional" : "required"}): ${setting.meta()?.description}`,
      );
      return `\`${type}\`: ${settings.join(" ")}`;
    })
    .join(" ");

const ALL_ACTION_CONFIGS = { ...ACTION_CONFIGS, ...HTTP_ACTION_CONFIGS };
type ActionType = keyof typeof ALL_ACTION_CONFIGS;

/** The types of actions: all on routes of HTTPS edges, those without HTTP on TLS edges. */
const actionTypes = (http: boolean) => z.enum(http ? keysOf(ALL_ACTION_CONFIGS) : keysOf(ACTION_CONFIGS));

const configFitsType = (): Rule<{ type?: ActionType; config?: unknown }> =>
  function* (action) {
    const { type } = action;
    if (type === undefined || action.config === undefined) return;
    const schema = ALL_ACTION_CONFIGS[type];
    for (const issue of schema.safeParse(action.config).error?.issues ?? []) {
      if (issue.code === "unrecognized_keys") {
        const names = Object.keys(schema.shape);
        const accepted = names.map((name) => `\`${name}\``).join(", ");
        const isTwice = (key: string) =>
          names.some((name) => camelCase(name) === key && Object.hasOwn(Object(action.config), name));
        for (const key of issue.keys)
          yield {
            path: ["config", key],
            message: isTwice(key)
              ? "is there in both spellings, in camelCase and as in the API: leave one out"
              : `is not a setting of the action ${type}; accepted: ${accepted}`,
          };
      } else {
        yield {
          path: ["config", ...issue.path],
          message: `${messageOf(issue, action.config)}, for action ${type}`,
        };
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
          description: `Settings of the action, by its type. ${configDocs(http ? ALL_ACTION_CONFIGS : ACTION_CONFIGS)} Programs and catalogues spell the names in camelCase, or as the API does.`,
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
        .max(MAX_ENTRIES)
        .default([])
        .meta({
          description: `Conditions in CEL, the Common Expression Language, of at most 4 KiB each, nested at most 100 deep; the actions run when all of them hold, always when there are none. Invalid CEL is refused. Gateways serve ${SERVED_EXPRESSIONS}; other CEL is stored, and a preview warns about it.`,
        }),
      actions: mark(z.array(action(http)).min(1).max(MAX_ENTRIES), { ordered: true }).meta({
        description: "The actions, in the order in which they run.",
      }),
    },
    { name: named("Policy", http), warnings: [beyondGateways] },
  );

/**
 * A warning and no rule, because clients of the public API send expressions that our gateways do not know.
 */
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

const list = (http: boolean, doc: string) =>
  mark(z.array(policy(http)).max(MAX_ENTRIES), { ordered: true })
    .default([])
    .meta({ description: doc });

/** spec "EndpointPolicies", "EndpointPolicy", "EndpointAction". */
export const policies = ({ http = false } = {}) =>
  module(
    { name: named("Policies", http), doc: "Conditions and actions on inbound and outbound traffic." },
    {
      inbound: list(http, "Policies for inbound traffic."),
      outbound: list(http, "Policies for outbound traffic."),
    },
  );
