import { z } from "zod";
import { resourceName } from "../contract";
import type { Shape } from "./shape";

export const eventTypeShape = {
  name: "EventType",
  io: "output",
  schema: z.object({
    type: z.string().meta({
      description: "Name of the event type, as in a subscription's sources.",
      examples: ["ip_policy_created.v0"],
    }),
  }),
} satisfies Shape;

const principal = z.object({
  id: z.string().meta({ description: "The user or bot that made the change." }),
  subject: z.string().meta({ description: "Its name." }),
  source: z.enum(["API", "SERVER"]).meta({
    description:
      "`SERVER` for changes by the server itself on its first start, and for commands on its command line.",
  }),
  credential: z
    .object({ id: z.string(), uri: z.url() })
    .nullable()
    .meta({ description: "The API key or session that was used." }),
});

export const eventShape = {
  name: "Event",
  io: "output",
  schema: z.object({
    event_id: z.string().meta({ description: "Identifier; the same on every delivery." }),
    event_type: z.string().meta({ description: "Type of the event, for example `ip_policy_created.v0`." }),
    event_timestamp: z.iso.datetime().meta({ description: "When (RFC 3339)." }),
    sequence: z.int().optional().meta({
      description:
        "Its place in the order of all changes; only with `after_id` or `wait`, for gateways and admins of the account.",
    }),
    account_id: z.string().meta({ description: "Id of the account; one database is one account." }),
    principal: principal.optional().meta({
      description: "Who made the change. Left out for gateways, where they may not read the object.",
    }),
    object: z.looseObject({ id: z.string() }).meta({
      description:
        "The object as the API shows it, without its secrets; for a deletion, its last state. Its `id` alone for gateways that may not read it.",
    }),
    changes: z
      .array(z.object({ path: z.string(), old: z.unknown().optional(), new: z.unknown().optional() }))
      .optional()
      .meta({ description: "The fields that an update changed. Secrets appear without their values." }),
  }),
} satisfies Shape;

export const auditEventShape = {
  name: "AuditEvent",
  io: "output",
  schema: z.object({
    id: z.string().meta({
      description:
        "For admins of the account, `au_` and the row's number, which counts up from 1 without a gap; for others, an id that says nothing of it.",
    }),
    created_at: z.iso.datetime().meta({ description: "When (RFC 3339)." }),
    operation_id: z
      .string()
      .meta({ description: "Id of the request, as in the log and the header X-Request-Id." }),
    principal_id: z.string().meta({
      description:
        "The user or bot that made the change; `nobody` for an identity token or a sign-in that was refused.",
    }),
    principal_name: z.string().optional().meta({
      description:
        "With `names=true`: the name that it has now. Left out if it is gone, and for the server itself.",
    }),
    key_id: z.string().nullable().meta({
      description: "The API key or session that was used; null for changes by the server itself.",
    }),
    client: z.string().nullable().meta({ description: "The client's address." }),
    action: z.string().meta({ description: "The change, for example `ip_policy_created`." }),
    object_id: z
      .string()
      .nullable()
      .meta({ description: "Id of the changed object, user or session, or the name of a gateway." }),
    resource_name: resourceName(
      "As it is now, and left out where it has none or is deleted: the hash does not cover it.",
    ),
    event_id: z.string().nullable().meta({ description: "Id of the event with the details." }),
    project: z.string().nullable().meta({
      description:
        "Name of the project that it is about, or its id where the project is gone; null for the whole account.",
    }),
    changed: z.array(z.string()).meta({
      description:
        "The paths that an update changed; for a refused identity token, the claims and parts that did not match; for a refused sign-in, why.",
    }),
    object_digest: z.string().nullable().meta({
      description: "A keyed hash of the object after the change; null after a deletion, and for no object.",
    }),
    event_digest: z.string().nullable().meta({ description: "A keyed hash of the event; null for none." }),
    lane: z.string().nullable().meta({
      description:
        "The lane of the server that wrote the row, and the row's number there, without a gap; null on SQLite, and for all but admins of the account.",
    }),
    previous_hash: z.string().nullable().meta({
      description: "The hash of the row before; null for all but admins of the account, as `hash`.",
    }),
    hash: z
      .string()
      .nullable()
      .meta({ description: "The SHA-256 of this row, which covers the hash of the row before." }),
  }),
} satisfies Shape;

export const auditHeadShape = {
  name: "AuditHead",
  io: "output",
  schema: z.object({
    sequence: z.int().meta({ description: "The number of the last row; 0 while there is none." }),
    hash: z.string().meta({ description: "The hash of the last row, which covers every row before." }),
  }),
} satisfies Shape;
