import { z } from "zod";
import { defineResource } from "../core/definition";
import { distinct, MAX_ENTRIES, object, references, text } from "../core/fields";
import { mark } from "../core/marks";
import { eventType } from "../formats/event";

/** spec "Event subscription". Its limits count characters, those of other types bytes. */
export const eventSubscription = defineResource({
  type: "EventSubscription",
  kind: "event_subscription",
  title: "event subscription",
  doc: "Sends the events of some types to some destinations.",
  path: "/event_subscriptions",
  listKey: "event_subscriptions",
  idPrefix: "esb",
  access: "admin",
  fields: {
    metadata: text(4096, "characters").default("").meta({
      description: "Data of your own for machines, often JSON in a string. At most 4096 characters.",
    }),
    description: text(255, "characters")
      .default("")
      .meta({ description: "A description for people. At most 255 characters." }),
    sources: mark(
      distinct(
        z
          .array(
            object(
              {
                type: eventType().meta({
                  description: "A type of event, for example `ip_policy_created.v0`.",
                }),
              },
              { name: "EventSource" },
            ),
          )
          .max(MAX_ENTRIES),
        (source) => source.type,
      ),
      { entries: { key: "type" } },
    )
      .default([])
      .meta({
        description: "The types of events; each is also an object of its own below the subscription.",
      }),
    destination_ids: references("event_destination", "destinations")
      .default([])
      .meta({ description: "The destinations that receive the events." }),
  },
  sample: {
    description: "who may come in",
    sources: [{ type: "ip_policy_created.v0" }, { type: "ip_policy_deleted.v0" }],
    destination_ids: ["event_destination/audit"],
  },
  example: `const watch = new tunnels.EventSubscription("watch", {
  sources: [{ type: "ip_policy_created.v0" }, { type: "ip_policy_deleted.v0" }],
  destinationIds: [audit.id],
});`,
});
