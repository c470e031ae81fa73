import { definitionOf, validateModule } from "@tunnelplane/sdk/contract";
import {
  DELIVERY_STATUSES,
  deliveryShape,
  destinationTestShape,
  replayedShape,
  replayRequestShape,
} from "@tunnelplane/sdk/operations";
import { textIn } from "../../documents";
import { deliveryPage, replay } from "../../events";
import { credentialOf } from "../../journal";
import { newId, queryError, refuseFaults } from "../../util";
import { beforeOf, limitOf, type Query } from "../query";
import { type ApiOperation, type OperationScope, tagOf } from "./operation";

const destination = definitionOf("event_destination");

const common = { tag: tagOf(destination), subject: destination } as const;
const path = `${destination.path}/{id}`;

/** List, test and replay the deliveries to a destination. */
export const deliveryOperations: readonly ApiOperation[] = [
  {
    ...common,
    method: "GET",
    path: `${path}/deliveries`,
    id: "listEventDestinationDeliveries",
    summary: "List the deliveries to an event destination, newest event first",
    query: ["limit", "before_id", "status"],
    success: { status: 200, answer: deliveryShape, list: { key: "deliveries" } },
    run: async ({ resources, context }, { params, query }) => {
      await resources.get(destination, params);
      await context.sequencer.settle(); // so that a change that was answered is listed
      const page = { limit: limitOf(query), before: beforeOf({ title: "event", idPrefix: "ev" }, query) };
      return deliveryPage(context.store, params.id, statusOf(query), page);
    },
  },
  {
    ...common,
    method: "POST",
    path: `${path}/test`,
    id: "testEventDestination",
    summary: "Send a test event to an event destination, once, and answer whether its service accepted it",
    waits: () => true,
    success: { status: 200, answer: destinationTestShape },
    run: async (scope, { params }) => {
      await scope.resources.get(destination, params);
      const event = testEvent(scope, params.id);
      const sent = await scope.dispatcher.test(params.id, {
        ...event,
        key: params.id,
        body: JSON.stringify(event.payload),
      });
      return {
        json: JSON.stringify({
          event_id: event.id,
          ok: sent?.ok ?? false,
          error: sent && !sent.ok ? sent.error : null,
        }),
      };
    },
  },
  {
    ...common,
    method: "POST",
    path: `${path}/replay`,
    id: "replayEventDestination",
    summary: "Replay events to an event destination; each keeps its id",
    body: replayRequestShape,
    success: { status: 200, answer: replayedShape },
    run: async ({ resources, context }, { params, body }) => {
      await resources.get(destination, params);
      const { value, problems } = validateModule(replayRequestShape.schema, body);
      refuseFaults(problems);
      const which =
        value.since === undefined
          ? { deadLetters: true as const }
          : { since: new Date(textIn(value, "since")) };
      await context.sequencer.settle(); // so that a change that was answered is replayed
      const now = new Date(await context.store.now());
      return { json: JSON.stringify({ count: await replay(context.store, params.id, which, now) }) };
    },
  },
];

/** An event like any other, except that it reports no change. */
function testEvent({ context, caller }: OperationScope, id: string) {
  const { documents, journal } = context;
  const [eventId, now] = [newId("ev"), new Date().toISOString()];
  const credential = credentialOf(documents, caller.keyId);
  const payload = {
    event_id: eventId,
    event_type: "event_destination_test.v0",
    event_timestamp: now,
    account_id: journal.accountId,
    principal: { id: caller.ownerId, subject: caller.name, source: "API", credential },
    object: { id, uri: documents.addressOf(destination, id) },
  };
  return { id: eventId, time: now, payload };
}

function statusOf({ status }: Query): (typeof DELIVERY_STATUSES)[number] | undefined {
  const known = DELIVERY_STATUSES.find((one) => one === status);
  if (status !== undefined && !known)
    throw queryError("status", `status must be one of ${DELIVERY_STATUSES.join(", ")}`);
  return known;
}
