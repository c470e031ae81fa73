import { z } from "zod";
import { defineResource } from "../core/definition";
import { description, id, map, metadata } from "../core/fields";
import { mark } from "../core/marks";

/** Weighted backend; fields after api-decisions "Backends, IP policies". */
export const weightedBackend = defineResource({
  type: "WeightedBackend",
  kind: "weighted_backend",
  subject: "backend",
  title: "weighted backend",
  doc: "Spreads traffic over its backends in proportion to their weights.",
  path: "/backends/weighted",
  listKey: "backends",
  idPrefix: "bkdwd",
  readByGateways: true,
  fields: {
    description: description(),
    metadata: metadata(),
    backends: mark(map(id(), z.int().min(0).max(10000)), { userKeys: true, reference: { to: ["backend"] } })
      .default({})
      .meta({ description: "The id of each backend and its weight, 0 to 10000." }),
  },
  sample: { backends: { "tunnel_group_backend/blue": 95, "tunnel_group_backend/green": 5 } },
  example: `const blue = new tunnels.TunnelGroupBackend("blue", { labels: { color: "blue" } });
const green = new tunnels.TunnelGroupBackend("green", { labels: { color: "green" } });
const both = new tunnels.WeightedBackend("both", {
  backends: pulumi.all([blue.id, green.id]).apply(([b, g]) => ({ [b]: 95, [g]: 5 })),
});`,
});
