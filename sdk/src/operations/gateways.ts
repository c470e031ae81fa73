import { z } from "zod";
import {
  binds,
  DEFAULT_PROJECT,
  object,
  resourceName,
  sessionId,
  sshPublicKey,
  text,
  timestamp,
  word,
} from "../contract";
import type { Shape } from "./shape";

/** The limit on agents in a row of `GET /exposure`. */
export const MAX_AGENTS_LISTED = 100;
const MAX_EDGES = 20_000;
const MAX_AGENTS = 20_000;
/** An agent may bind a hundred things; each label counts. */
const MAX_BOUND = 1000;

export const bindAuthorizationRequestShape = {
  name: "BindAuthorizationCreate",
  io: "input",
  example: () => ({ token: "2ExampleOnlyAAAAAAAAAAAAAAA_5UqF1n4cXk", bind: ["bind:app.example.com:443"] }),
  schema: object(
    {
      token: word(1024).optional().meta({ description: "The token of a tunnel credential." }),
      public_key: sshPublicKey()
        .optional()
        .meta({ description: "The public key of an SSH credential: an OpenSSH line, or PEM." }),
      bind: binds().meta({
        description:
          "The binds that the agent asks for: `bind:<host>:<port>`, or `bind:<key>=<value>` for each label. All must be allowed.",
      }),
      address: word(255).optional().meta({
        description:
          "The address of an agent that logs in or binds: one whose session was stopped is kept out for 60 s.",
      }),
    },
    { alternatives: ["token", "public_key"] },
  ),
} satisfies Shape;

export const bindAuthorizationShape = {
  name: "BindAuthorization",
  io: "output",
  schema: z.object({
    allowed: z.boolean().meta({ description: "Whether all of it may be bound." }),
    credential: z
      .object({ id: z.string(), uri: z.url() })
      .nullable()
      .meta({ description: "The credential of the token or key; null if there is none." }),
    owner_id: z.string().nullable().meta({ description: "The owner of the credential." }),
    project_ids: z.array(z.string()).meta({
      description: "The projects whose hostports and labels it may serve: its own, and shared ones.",
      examples: [[DEFAULT_PROJECT.id]],
    }),
    acl: z.array(z.string()).meta({ description: "The binds that the credential allows; empty for all." }),
    expires_at: z.iso
      .datetime({ offset: true })
      .nullable()
      .meta({ description: "When the credential ends (RFC 3339); null for never." }),
    reason: z.string().meta({ description: "Why it is not allowed; empty if it is." }),
  }),
} satisfies Shape;

const sequence = () =>
  z.int().min(0).meta({ description: "The sequence of the last event that it has followed." });
/** The limit of ports. Gateways listen for few; each needs a listener of Envoy. */
const MAX_PORTS = 1000;
const port = () => z.int().min(1).max(65_535);
const version = (of: string) => text(255).meta({ description: `The version of ${of}.` });

const edge = object({
  id: word(64).meta({ description: "The edge." }),
  state: z
    .enum(["applied", "rejected"])
    .meta({ description: "`rejected` if it is not served, or not completely." }),
  reason: text(4096)
    .default("")
    .meta({ description: "Why it is rejected, or a warning of one that is applied." }),
});
/** An agent, as its gateway reports it. */
const agent = object({
  credential: word(64).meta({ description: "The credential that it logged in with." }),
  bind: z.array(word(1024)).max(MAX_BOUND).meta({ description: "Its binds." }),
  address: word(255).meta({ description: "Its IP address." }),
  since: timestamp().meta({ description: "Since when it serves (RFC 3339)." }),
  session: sessionId().optional().meta({ description: "The id that the gateway gave its session." }),
  client: text(255).optional().meta({ description: "The greeting of its SSH client." }),
  forwards_to: text(1024).optional().meta({ description: "Where it forwards to; SSH does not say it." }),
});

/** An agent in reports: also which of its rules belong to one bind. */
const agentReported = object({
  ...agent.shape,
  binds: z
    .array(z.array(word(1024)).min(1).max(MAX_BOUND))
    .max(MAX_BOUND)
    .optional()
    .meta({
      description:
        "The rules of each bind. Default: each hostport of `bind` is one, and all its labels are one.",
    }),
});

/** An agent in answers. */
export const agentSeen = z.object({
  ...agent.shape,
  resource_name: resourceName("Of the credential; left out where it has none."),
});

export const gatewayReportShape = {
  name: "GatewayStatusReplace",
  io: "input",
  schema: object({
    version: version("the gateway").default(""),
    envoy_version: version("Envoy").default(""),
    sequence: sequence().default(0),
    ports: z
      .array(port())
      .max(MAX_PORTS)
      .optional()
      .meta({ description: "The ports that it listens for, as hostports name them." }),
    edges: z.array(edge).max(MAX_EDGES).default([]).meta({ description: "The state of each edge." }),
    agents: z
      .array(agentReported)
      .max(MAX_AGENTS)
      .default([])
      .meta({ description: "The agents, with their binds." }),
  }),
} satisfies Shape;

const summary = {
  name: z.string().meta({ description: "Name of the gateway." }),
  uri: z.url().meta({ description: "Address of its status." }),
  last_seen: z.iso.datetime().meta({ description: "When it last reported (RFC 3339)." }),
  version: version("the gateway"),
  envoy_version: version("Envoy"),
  sequence: sequence().optional().meta({
    description:
      "The sequence of the last event that it has followed; only for gateways and admins of the account.",
  }),
  ports: z
    .array(port())
    .optional()
    .meta({ description: "The ports that it listens for; absent if it does not report them." }),
  applied: z.int().meta({ description: "How many edges of the project it serves." }),
  rejected: z
    .int()
    .meta({ description: "How many edges of the project it does not serve, or not completely." }),
};
export const gatewayShape = { name: "Gateway", io: "output", schema: z.object(summary) } satisfies Shape;

export const gatewayStatusShape = {
  name: "GatewayStatus",
  io: "output",
  schema: z.object({
    ...summary,
    edges: z.array(z.object({ ...edge.shape, resource_name: resourceName() })).meta({
      description:
        "The state of each edge: for gateways and admins of the account all, for others of the project.",
    }),
    agents: z.array(agentSeen).meta({
      description: "The agents, with their binds. Only admins see those of other owners' credentials.",
    }),
    other_agents: z.int().meta({
      description:
        "How many agents of the project are left out, because their credentials belong to other owners.",
    }),
  }),
} satisfies Shape;
