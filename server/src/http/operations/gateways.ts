import {
  binds,
  DEFAULT_PROJECT,
  definitionOf,
  GATEWAY_NAME,
  GATEWAY_NAME_FORM,
  object,
  resourceName,
  sessionId,
  sshPublicKey,
  text,
  timestamp,
  word,
} from "@tunnelplane/sdk/contract";
import { z } from "zod";
import { authorize, deleteGateway, type GatewayReport, gatewayAt, gatewayPage, report } from "../../gateways";
import { type Precondition, ResourceService, Transactions } from "../../resources";
import { queryError, RequestError } from "../../util";
import { limitOf, type Query } from "../query";
import { type ApiOperation, checked, type OperationScope, type Shape } from "./operation";

const MAX_EDGES = 20_000;
const MAX_AGENTS = 20_000;
/** An agent may bind a hundred things; each label counts. */
const MAX_BOUND = 1000;
/** A body of 10,000 agents holds some 130,000 values. */
const ROOM = { entries: 20_000, values: 1_000_000 };

const TAG = {
  name: "Gateway",
  description: "Gateways enforce the declared objects, and report what they serve.",
};

const askedShape: Shape = {
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
};

const decidedShape: Shape = {
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
};

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
  reason: text(4096).default("").meta({ description: "Why it is rejected." }),
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

const reportShape: Shape = {
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
};

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
const summaryShape: Shape = { name: "Gateway", io: "output", schema: z.object(summary) };

const statusShape: Shape = {
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
};

/** Operations for gateways to ask and report, and for everybody to see their status. */
export const gatewayOperations: readonly ApiOperation[] = [
  {
    method: "POST",
    path: "/bind_authorizations",
    id: "createBindAuthorization",
    summary: "Decide whether an agent may bind an address or labels. For gateways and admins",
    tag: TAG,
    query: [],
    subject: "bind_authorization",
    permission: "read",
    body: askedShape,
    success: { status: 200, answer: decidedShape },
    run: async (scope, { body }) => {
      const {
        token,
        public_key: publicKey = "",
        bind,
        address,
      } = checked(askedShape, body) as Partial<Record<string, string>> & { bind: string[] };
      const proof = token === undefined ? { publicKey } : { token };
      return { json: JSON.stringify(await authorize(scope.context, proof, bind, address)) };
    },
  },
  {
    method: "PUT",
    path: "/gateways/{name}/status",
    id: "replaceGatewayStatus",
    summary: "Report what a gateway serves. For gateways and admins",
    tag: TAG,
    query: [],
    subject: "gateway_status",
    room: ROOM,
    takes16MiB: true,
    body: reportShape,
    success: { status: 204 },
    run: async (scope, { params: { name = "" }, body }) => {
      if (!GATEWAY_NAME.test(name))
        throw new RequestError(
          "invalid_field",
          `This is no name of a gateway: expected ${GATEWAY_NAME_FORM}`,
          { field: "name" },
        );
      await requireOwnName(scope, name);
      await report(scope.context, name, checked(reportShape, body) as unknown as GatewayReport);
      return undefined;
    },
  },
  {
    method: "GET",
    path: "/gateways",
    id: "listGateways",
    summary: "List gateways that reported in the last 7 days, by name",
    tag: TAG,
    query: ["limit", "after_name"],
    subject: "gateway",
    success: { status: 200, answer: summaryShape, list: { key: "gateways" } },
    run: ({ context, caller }, { query }) =>
      gatewayPage(context, caller, { limit: limitOf(query), after: nameIn(query) }),
  },
  {
    method: "GET",
    path: "/gateways/{name}",
    id: "getGateway",
    summary: "Get the status of a gateway: its edges and agents",
    tag: TAG,
    query: [],
    subject: "gateway",
    success: { status: 200, answer: statusShape },
    run: async ({ context, caller }, { params: { name = "" } }) => ({
      json: await gatewayAt(context, name, caller),
    }),
  },
  {
    method: "DELETE",
    path: "/gateways/{name}",
    id: "deleteGateway",
    summary: "Remove a gateway from the list. For admins",
    about: "A gateway that still reports is back with its next report: stop it, or delete its API key first.",
    tag: TAG,
    subject: "gateway",
    query: ["dry_run"],
    success: { status: 204 },
    run: async ({ context, change }, { params: { name = "" } }) => {
      await new Transactions(context, change).run(async (transaction, _changes, acts) => {
        await deleteGateway(transaction, name);
        acts.push({ action: "gateway_deleted", subject: name });
      });
      return undefined;
    },
  },
];

const botUser = definitionOf("bot_user");

/** A bot may change meanwhile, but not for ever. */
const MAX_TRIES = 5;

/**
 * The key of a gateway reports for one name: that of its bot. A bot without one gets the first that it
 * reports.
 */
async function requireOwnName({ context, caller, change }: OperationScope, name: string): Promise<void> {
  if (caller.admin) return;
  const at = { id: caller.ownerId };
  // The bot may see and change nothing; the server does this for it, in its name.
  const bots = new ResourceService(context, {
    ...change,
    caller: { ...caller, role: "admin", accountRole: "admin", project: undefined, admin: true, scopes: [] },
  });
  for (let tries = 0; ; tries++) {
    const { json, etag } = await bots.get(botUser, at);
    const { gateway_name: own }: { gateway_name: string | null } = JSON.parse(json);
    if (own === name) return;
    if (own !== null)
      throw new RequestError(
        "forbidden",
        refusalOf(name, `reports for ${JSON.stringify(own)} alone`, caller.ownerId),
      );
    try {
      const precondition: Precondition = (now) => {
        if (now !== etag)
          throw new RequestError(
            "precondition_failed",
            "The bot of this gateway changed at the same time: report again",
          );
      };
      await bots.update(botUser, at, { gateway_name: name }, { precondition });
      return;
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      if (error.error === "taken")
        throw new RequestError(
          "forbidden",
          refusalOf(name, "is another one than that name's", caller.ownerId),
        );
      if (error.error !== "precondition_failed" || tries >= MAX_TRIES) throw error;
    }
  }
}

const refusalOf = (name: string, why: string, bot: string): string =>
  `This API key may not report for ${JSON.stringify(name)}: its bot ${bot} ${why}. Start the gateway with --name and the bot's name, give it a bot of its own, or have an admin set gateway_name of the bot`;

function nameIn({ after_name: text }: Query): string | undefined {
  if (text === undefined || GATEWAY_NAME.test(text)) return text;
  throw queryError("after_name", "after_name must be the name of a gateway");
}
