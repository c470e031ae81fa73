import { z } from "zod";
import { object, timestamp } from "../contract";
import type { Shape } from "./shape";

export const DELIVERY_STATUSES = ["pending", "delivered", "dead"] as const;

const time = (doc: string) => z.iso.datetime().nullable().meta({ description: doc });

export const deliveryShape = {
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
      .enum(DELIVERY_STATUSES)
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
} satisfies Shape;

export const destinationTestShape = {
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
} satisfies Shape;

export const replayRequestShape = {
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
} satisfies Shape;

export const replayedShape = {
  name: "EventDestinationReplayed",
  io: "output",
  schema: z.object({ count: z.int().meta({ description: "Number of events that are sent again." }) }),
} satisfies Shape;
