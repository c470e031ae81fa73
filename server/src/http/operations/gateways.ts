import { definitionOf, GATEWAY_NAME, GATEWAY_NAME_FORM } from "@tunnelplane/sdk/contract";
import {
  bindAuthorizationRequestShape,
  bindAuthorizationShape,
  gatewayReportShape,
  gatewayShape,
  gatewayStatusShape,
} from "@tunnelplane/sdk/operations";
import { authorize, deleteGateway, gatewayAt, gatewayPage, report } from "../../gateways";
import { type Precondition, ResourceService, Transactions } from "../../resources";
import { queryError, RequestError } from "../../util";
import { limitOf, type Query } from "../query";
import { type ApiOperation, checked, type OperationScope } from "./operation";

/** A body of 10,000 agents holds some 130,000 values. */
const ROOM = { entries: 20_000, values: 1_000_000 };

const TAG = {
  name: "Gateway",
  description: "Gateways enforce the declared objects, and report what they serve.",
};

/** Operations for gateways to ask and report, and for everybody to see their status. */
export const gatewayOperations: readonly ApiOperation[] = [
  {
    method: "POST",
    path: "/bind_authorizations",
    id: "createBindAuthorization",
    summary: "Decide whether an agent may bind an address or labels. For gateways and admins",
    tag: TAG,
    subject: "bind_authorization",
    permission: "read",
    body: bindAuthorizationRequestShape,
    success: { status: 200, answer: bindAuthorizationShape },
    run: async (scope, { body }) => {
      const {
        token,
        public_key: publicKey = "",
        bind,
        address,
      } = checked(bindAuthorizationRequestShape, body);
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
    subject: "gateway_status",
    room: ROOM,
    takes16MiB: true,
    body: gatewayReportShape,
    success: { status: 204 },
    run: async (scope, { params: { name = "" }, body }) => {
      if (!GATEWAY_NAME.test(name))
        throw new RequestError(
          "invalid_field",
          `This is not a name of a gateway: expected ${GATEWAY_NAME_FORM}`,
          { field: "name" },
        );
      await requireOwnName(scope, name);
      await report(scope.context, name, checked(gatewayReportShape, body));
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
    success: { status: 200, answer: gatewayShape, list: { key: "gateways" } },
    run: ({ context, caller }, { query }) =>
      gatewayPage(context, caller, { limit: limitOf(query), after: nameIn(query) }),
  },
  {
    method: "GET",
    path: "/gateways/{name}",
    id: "getGateway",
    summary: "Get the status of a gateway: its edges and agents",
    tag: TAG,
    subject: "gateway",
    success: { status: 200, answer: gatewayStatusShape },
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
        refusalOf(name, `reports only for ${JSON.stringify(own)}`, caller.ownerId),
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
