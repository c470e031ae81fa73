import { definitionOf, object, timestamp, validateModule } from "@tunnelplane/sdk/contract";
import { z } from "zod";
import { textIn } from "../../documents";
import { deliveryPage, replay } from "../../events";
import { credentialOf } from "../../journal";
import type { DeliveryRow } from "../../storage";
import { newId, queryError, refuseFaults } from "../../util";
import { beforeOf, limitOf, type Query } from "../query";
import { type ApiOperation, type OperationScope, type Shape, tagOf } from "./operation";

const destination = definitionOf("event_destination");
const STATUSES: readonly DeliveryRow["status"][] = ["pending", "delivered", "dead"];

const time = (doc: string) => z.iso.datetime().nullable().meta({ description: doc });

const deliveryShape: Shape = {
  name: "EventDelivery",
  io: "output",
  schema: z.object({
    event_id: z.string().meta({ description: "Id of the event; the same on every attempt." }),
    event_type: z.string().meta({ description: "Its type." }),
    object_id: z
      .string()
      .meta({ description: "Id of the changed object; events of one object arrive in order." }),
    event_timestamp: z.iso.datetime().meta({ description: "When it happened (RFC 3339)." }),
    status: z
      .enum(STATUSES)
      .meta({ description: "`dead` if the server gave up: refused for good, or failing for 24 hours." }),
    attempts: z.int().meta({ description: "Number of attempts." }),
    last_error: z
      .string()
      .nullable()
      .meta({ description: "The service's answer to the last attempt, if that failed." }),
    due_at: time("Earliest time of the next attempt, while it is pending."),
    first_attempt_at: time("Time of the first attempt."),
    last_attempt_at: time("Time of the last attempt."),
    delivered_at: time("When the service accepted it."),
  }),
};

const testShape: Shape = {
  name: "EventDestinationTest",
  io: "output",
  schema: z.object({
    event_id: z.string().meta({ description: "Id of the event that was sent." }),
    ok: z.boolean().meta({ description: "Whether the service accepted it." }),
    error: z
      .string()
      .nullable()
      .meta({ description: "The service's answer, if it did not accept the event." }),
  }),
};

const replayShape: Shape = {
  name: "EventDestinationReplay",
  io: "input",
  example: () => ({ dead_letters: true }),
  schema: object(
    {
      since: timestamp()
        .optional()
        .meta({ description: "Replay events since this time that were delivered or given up (RFC 3339)." }),
      dead_letters: z.literal(true).optional().meta({ description: "Replay the dead letters." }),
    },
    { alternatives: ["since", "dead_letters"] },
  ),
};

const replayedShape: Shape = {
  name: "EventDestinationReplayed",
  io: "output",
  schema: z.object({ count: z.int().meta({ description: "Number of events that are sent again." }) }),
};

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
    query: [],
    waits: () => true,
    success: { status: 200, answer: testShape },
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
    query: [],
    body: replayShape,
    success: { status: 200, answer: replayedShape },
    run: async ({ resources, context }, { params, body }) => {
      await resources.get(destination, params);
      const { value, problems } = validateModule(replayShape.schema, body);
      refuseFaults(problems);
      const which =
        value.since === undefined
          ? { deadLetters: true as const }
          : { since: new Date(textIn(value, "since")) };
      await context.sequencer.settle(); // so that a change that was answered is replayed
      return { json: JSON.stringify({ count: await replay(context.store, params.id, which, new Date()) }) };
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

function statusOf({ status }: Query): DeliveryRow["status"] | undefined {
  const known = STATUSES.find((one) => one === status);
  if (status !== undefined && !known)
    throw queryError("status", `status must be one of ${STATUSES.join(", ")}`);
  return known;
}
