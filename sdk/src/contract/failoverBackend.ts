import { z } from "zod";
import { defineResource } from "./core/definition";
import { description, distinct, metadata } from "./core/fields";
import { mark } from "./core/marks";

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
  fields: {
    description: description(),
    metadata: metadata(),
    backends: mark(distinct(z.array(z.string().min(1))), { reference: { to: ["backend"] } })
      .default([])
      .meta({ description: "The backends, the preferred one first." }),
  },
  example: `const web = new tunnels.TunnelGroupBackend("web", { labels: { service: "web" } });
const sorry = new tunnels.HttpResponseBackend("sorry", { statusCode: 503, body: "back soon" });
const site = new tunnels.FailoverBackend("site", { backends: [web.id, sorry.id] });`,
});
