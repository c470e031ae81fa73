import {
  OBSERVED,
  OBSERVED_SCHEMAS,
  type Observed,
  type ObservedKind,
  object,
} from "@tunnelplane/sdk/contract";
import type { Shape } from "@tunnelplane/sdk/operations";
import { endSession, observedAt, observedPage } from "../../gateways";
import { Transactions } from "../../resources";
import { RequestError } from "../../util";
import { beforeOf, limitOf } from "../query";
import { type ApiOperation, checked } from "./operation";

const tagOf = ({ type, title, doc }: Observed): ApiOperation["tag"] => ({
  name: type,
  title: `${title[0]?.toUpperCase()}${title.slice(1)}s`,
  description: doc,
});

const nothingShape: Shape = {
  name: "TunnelSessionEnd",
  io: "input",
  schema: object({}),
  example: () => ({}),
};

/** A kind that gateways see can only be read. */
function readingOf(kind: ObservedKind): ApiOperation[] {
  const observed = OBSERVED[kind];
  const { path, listKey, title, type } = observed;
  const common = { method: "GET", subject: kind, tag: tagOf(observed) } as const;
  const answer: Shape = { name: type, io: "output", schema: OBSERVED_SCHEMAS[kind]() };
  return [
    {
      ...common,
      path,
      id: `list${type}s`,
      summary: `List ${title}s, newest first`,
      query: ["limit", "before_id"],
      success: { status: 200, answer, list: { key: listKey } },
      run: ({ context, caller }, { query }) =>
        observedPage(context, kind, caller, {
          limit: limitOf(query),
          before: beforeOf(observed, query),
        }),
    },
    {
      ...common,
      path: `${path}/{id}`,
      id: `get${type}`,
      summary: `Get one of the ${title}s`,
      tellsState: true,
      success: { status: 200, answer },
      run: async ({ context, caller }, { params: { id = "" } }) => ({
        json: await observedAt(context, kind, caller, id),
      }),
    },
  ];
}

const common = {
  method: "POST",
  subject: "tunnel_session",
  tag: tagOf(OBSERVED.tunnel_session),
  body: nothingShape,
  takesNoFields: true,
  success: { status: 204 },
} as const;
const PATH = `${OBSERVED.tunnel_session.path}/{id}`;

const ending =
  (how: "stopped" | "restarted"): ApiOperation["run"] =>
  async ({ context, change }, { params: { id = "" }, body }) => {
    checked(nothingShape, body);
    await new Transactions(context, change).run(async (transaction, _changes, acts) => {
      acts.push(await endSession(context, transaction, change.caller, id, how));
    });
    return undefined;
  };

/** Endpoints, tunnels and sessions of agents. names.md. */
export const sessionOperations: readonly ApiOperation[] = [
  ...readingOf("endpoint"),
  ...readingOf("tunnel"),
  ...readingOf("tunnel_session"),
  {
    ...common,
    path: `${PATH}/stop`,
    id: "stopTunnelSession",
    summary: "End a session of an agent, and keep its credential out from its address for 60 s",
    about: "Its gateway hangs up within a second. Other sessions of the credential go on.",
    query: ["dry_run"],
    run: ending("stopped"),
  },
  {
    ...common,
    path: `${PATH}/restart`,
    id: "restartTunnelSession",
    summary: "Hang up on an agent, so that one under a supervisor connects again",
    query: ["dry_run"],
    run: ending("restarted"),
  },
  {
    ...common,
    path: `${PATH}/update`,
    id: "updateTunnelSession",
    summary: "Not possible here: a server cannot update the SSH client of an agent",
    about: "Always answered with 501, for clients of the hosted service.",
    permission: "read",
    run: async ({ context, caller }, { params: { id = "" }, body }) => {
      checked(nothingShape, body);
      await observedAt(context, "tunnel_session", caller, id);
      throw new RequestError(
        "not_implemented",
        "Agents are stock SSH clients, which a server cannot update: update OpenSSH on the agent's machine, and restart the session",
      );
    },
  },
];
