import { z } from "zod";
import { MAX_SET_OBJECTS, registry } from "../contract";
import type { Shape } from "./shape";

const kind = () => z.string().meta({ description: "Kind of the object.", examples: ["tls_edge"] });
const kinds = z.enum(registry.map(({ kind }) => kind));
const name = () => z.string().regex(/^[A-Za-z0-9._-]{1,255}$/);
const setName = () => name().meta({ description: "Name of the set.", examples: ["prod"] });
const key = () =>
  name().meta({ description: "Name of the object, unique for its kind in its set.", examples: ["app"] });
const id = () => z.string().meta({ description: "Id of the object." });

export const changeSetRequestShape = {
  name: "ChangeSetRequest",
  io: "input",
  schema: z.strictObject({
    set: setName(),
    mode: z.enum(["merge", "own"]).default("merge").meta({
      description:
        "`own` deletes the objects of the set that the request leaves out; `merge` leaves them as they are.",
    }),
    expect: z
      .string()
      .optional()
      .meta({ description: "The digest of a plan: the server goes on only if it would still do the same." }),
    max_deletes: z
      .int()
      .min(0)
      .max(MAX_SET_OBJECTS)
      .default(0)
      .meta({ description: "How many objects may be deleted because the request leaves them out." }),
    objects: z
      .array(
        z.strictObject({
          kind: kinds.meta({ description: "Kind of the object." }),
          key: key(),
          id: z.string().optional().meta({
            description: "An object that exists: adopts it, or gives an object of the set another key.",
          }),
          fields: z.looseObject({}).default({}).meta({
            description:
              'The fields of its creation. `{"$key": "tunnel_group_backend/web"}` takes the place of the id of an object of the set; `"$key:tunnel_group_backend/web"`, of one that is the key of a map.',
          }),
        }),
      )
      .max(MAX_SET_OBJECTS)
      .meta({ description: "The objects that the set shall have, in any order." }),
  }),
  example: () => ({
    set: "prod",
    mode: "merge",
    max_deletes: 0,
    objects: [
      { kind: "tunnel_group_backend", key: "web", fields: { labels: { service: "web" } } },
      {
        kind: "tls_edge",
        key: "app",
        fields: {
          hostports: ["app.example.com:443"],
          backend: { backend_id: { $key: "tunnel_group_backend/web" } },
        },
      },
    ],
  }),
} satisfies Shape;

export const changeSetResultShape = {
  name: "ChangeSetResult",
  io: "output",
  schema: z.object({
    set: setName(),
    operations: z
      .array(
        z.object({
          op: z
            .enum(["create", "update", "replace", "delete", "adopt"])
            .meta({ description: "The action on the object." }),
          kind: kind(),
          key: key(),
          id: id()
            .nullable()
            .meta({ description: "Id of the object; null in a plan, if it does not exist yet." }),
          replaced_id: z.string().optional().meta({ description: "Id of the object that it replaces." }),
          changes: z
            .array(z.object({ path: z.string(), old: z.unknown().optional(), new: z.unknown().optional() }))
            .meta({
              description: "The fields that differ, with old and new value; of a secret, only the path.",
            }),
          token: z
            .string()
            .optional()
            .meta({ description: "A one-time secret of a new object; never in a plan." }),
        }),
      )
      .meta({ description: "The actions that were or would be carried out, without unchanged objects." }),
    digest: z.string().meta({
      description:
        "Identifies this plan, for `expect`: the request, the operations and the versions of all objects that were read.",
    }),
  }),
} satisfies Shape;

const place = {
  set: setName(),
  uri: z.url().meta({ description: "Address of the set." }),
  created_at: z.iso.datetime().meta({ description: "When it was first applied (RFC 3339)." }),
  owner_id: z
    .string()
    .meta({ description: "The user or bot that applied it first; only that one and admins may use it." }),
};

export const changeSetShape = {
  name: "ChangeSet",
  io: "output",
  schema: z.object({
    ...place,
    objects: z
      .array(z.object({ kind: kind(), key: key(), id: id() }))
      .meta({ description: "All objects of the set, by kind and key; credentials of others are left out." }),
  }),
} satisfies Shape;

export const changeSetSummaryShape = {
  name: "ChangeSetSummary",
  io: "output",
  schema: z.object({
    id: z.string().meta({ description: "Sorts sets by time; `before_id` takes it." }),
    ...place,
    object_count: z.int().meta({ description: "How many objects it has." }),
  }),
} satisfies Shape;
