import { definitionOf, exactlyOne, object, timestamp, validateModule } from "@tunnelplane/sdk/contract";
import { z } from "zod";
import { deliveryPage, replay } from "../../events";
import type { DeliveryRow } from "../../storage";
import { newId, RequestError, refuseFaults } from "../../util";
import { beforeOf, limitOf, type Query } from "../query";
import type { Operation, OperationScope, Shape } from "./operation";

const destination = definitionOf("event_destination");
const STATUSES: readonly DeliveryRow["status"][] = ["pending", "delivered", "dead"];

const time = (doc: string) => z.iso.datetime().nullable().meta({ description: doc });

const deliveryShape: Shape = {
  name: "EventDelivery",
  io: "output",
  schema: z.object({
    event_id: z.string().meta({ description: "The event; the same on every attempt." }),
    event_type: z.string().meta({ description: "Its type." }),
    object_id: z.string().meta({ description: "The object that it is about; events of one object arrive in order." }),
    event_timestamp: z.iso.datetime().meta({ description: "When it happened (RFC 3339)." }),
    status: z.enum(STATUSES).meta({ description: "`dead` when it was given up: refused for good, or for 24 hours." }),
    attempts: z.int().meta({ description: "How often it was tried." }),
    last_error: z.string().nullable().meta({ description: "What the service answered at the last attempt, unless it accepted." }),
    due_at: time("When it may be tried next, at the earliest; while it waits."),
    first_attempt_at: time("When it was first tried."),
    last_attempt_at: time("When it was last tried."),
    delivered_at: time("When the service accepted it."),
  }),
};

const testShape: Shape = {
  name: "EventDestinationTest",
  io: "output",
  schema: z.object({
    event_id: z.string().meta({ description: "The event that was sent." }),
    ok: z.boolean().meta({ description: "Whether the service accepted it." }),
    error: z.string().nullable().meta({ description: "What the service answered, if it did not." }),
  }),
};

const replayShape: Shape = {
  name: "EventDestinationReplay",
  io: "input",
  schema: object(
    {
      since: timestamp().optional().meta({ description: "Everything of events since then that was delivered or given up (RFC 3339)." }),
      dead_letters: z.literal(true).optional().meta({ description: "What was given up." }),
    },
    { rules: [exactlyOne(["since", "dead_letters"])] },
  ),
};

const replayedShape: Shape = {
  name: "EventDestinationReplayed",
  io: "output",
  schema: z.object({ count: z.int().meta({ description: "How many events are sent again." }) }),
};

const common = { tag: { name: destination.type, description: destination.doc } } as const;
const path = `${destination.path}/{id}`;

/** How deliveries to a destination stand, and what can be done for them. */
export const deliveryOperations: readonly Operation[] = [
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
      const page = { limit: limitOf(query), before: beforeOf({ title: "event", idPrefix: "ev" }, query) };
      return deliveryPage(context.store, params.id, statusOf(query), page);
    },
  },
  {
    ...common,
    method: "POST",
    path: `${path}/test`,
    id: "testEventDestination",
    summary: "Send a test event to an event destination now, once, and tell what its service answers",
    query: [],
    waits: true,
    success: { status: 200, answer: testShape },
    run: async (scope, { params }) => {
      await scope.resources.get(destination, params);
      const event = testEvent(scope, params.id);
      const sent = await scope.dispatcher.test(params.id, { ...event, key: params.id, body: JSON.stringify(event.payload) });
      return { json: JSON.stringify({ event_id: event.id, ok: sent?.ok ?? false, error: sent && !sent.ok ? sent.error : null }) };
    },
  },
  {
    ...common,
    method: "POST",
    path: `${path}/replay`,
    id: "replayEventDestination",
    summary: "Send events to an event destination again, each with the id that it had",
    query: [],
    body: replayShape,
    success: { status: 200, answer: replayedShape },
    run: async ({ resources, context }, { params, body }) => {
      await resources.get(destination, params);
      const { value, problems } = validateModule(replayShape.schema, body);
      refuseFaults(problems);
      const which = value.since === undefined ? { deadLetters: true as const } : { since: new Date(value.since as string) };
      return { json: JSON.stringify({ count: await replay(context.store, params.id, which, new Date()) }) };
    },
  },
];

/** An event like any other, except that nothing happened. */
function testEvent({ context, caller }: OperationScope, id: string) {
  const { documents, journal } = context;
  const [eventId, now] = [newId("ev"), new Date().toISOString()];
  const credential = { id: caller.keyId, uri: documents.addressOf(definitionOf("api_key"), caller.keyId) };
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
    throw new RequestError("invalid_query", `status must be one of ${STATUSES.join(", ")}`, { field: "status" });
  return known;
}
