import { defineResource } from "../core/definition";
import { description, metadata } from "../core/fields";
import { labels } from "../formats/labels";

/** Tunnel-group backend; fields after api-decisions "Backends, IP policies". */
export const tunnelGroupBackend = defineResource({
  type: "TunnelGroupBackend",
  kind: "tunnel_group_backend",
  subject: "backend",
  title: "tunnel-group backend",
  doc: "Sends traffic to every tunnel that has all of these labels.",
  path: "/backends/tunnel_group",
  listKey: "backends",
  idPrefix: "bkdtg",
  readByGateways: true,
  fields: {
    description: description(),
    metadata: metadata(),
    labels: labels().meta({
      description: "The labels that a tunnel must have: your own keys and values, without `=`.",
    }),
  },
  sample: { labels: { service: "web", env: "prod" } },
  example: `const web = new tunnels.TunnelGroupBackend("web", {
  labels: { service: "web", env: "prod" },
});`,
});
