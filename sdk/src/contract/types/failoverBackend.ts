import { defineResource } from "../core/definition";
import { description, ids, metadata } from "../core/fields";
import { mark } from "../core/marks";

/** Failover backend; fields after api-decisions "Backends, IP policies". */
export const failoverBackend = defineResource({
  type: "FailoverBackend",
  kind: "failover_backend",
  subject: "backend",
  title: "failover backend",
  doc: "Sends traffic to the first of its backends that can take it.",
  path: "/backends/failover",
  listKey: "backends",
  idPrefix: "bkdfo",
  readByGateways: true,
  fields: {
    description: description(),
    metadata: metadata(),
    backends: mark(ids(), { reference: { to: ["backend"] }, ordered: true })
      .default([])
      .meta({ description: "The backends in order of preference." }),
  },
  sample: { backends: ["tunnel_group_backend/web", "http_response_backend/sorry"] },
  example: `const web = new tunnels.TunnelGroupBackend("web", { labels: { service: "web" } });
const sorry = new tunnels.HttpResponseBackend("sorry", { statusCode: 503, body: "back soon" });
const site = new tunnels.FailoverBackend("site", { backends: [web.id, sorry.id] });`,
});
