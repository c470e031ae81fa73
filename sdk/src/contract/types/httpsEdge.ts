import { z } from "zod";
import { defineResource } from "../core/definition";
import { description, metadata } from "../core/fields";
import { mark } from "../core/marks";
import { answerSchema } from "../core/shape";
import { closedHostports, waitsFor } from "../core/waiting";
import { hostports, uniqueHostports } from "../formats/host";
import { httpsTermination, mutualTls } from "../modules/edgeModules";
import { httpsEdgeRoute } from "./httpsEdgeRoute";

const MIB = 1024 * 1024;

/**
 * HTTPS edge. The spec has only the modules of its routes; the fields follow api-decisions "HTTPS edges and
 * routes".
 */
export const httpsEdge = defineResource({
  type: "HttpsEdge",
  kind: "https_edge",
  title: "HTTPS edge",
  doc: "Serves hostports over HTTPS and hands each request to the route that matches its path. Deleting an edge deletes its routes, which have at most 4 MiB together.",
  path: "/edges/https",
  listKey: "https_edges",
  idPrefix: "edghts",
  readByGateways: true,
  idField: "edge_id",
  fields: {
    description: description(),
    metadata: metadata(),
    hostports: hostports(),
    escaped_slashes: z.enum(["reject", "keep"]).default("reject").meta({
      description:
        "What happens to requests with `%2F` or `%5C` in their path: `reject` answers 400; `keep` passes them on as they are, and is allowed only while nothing on the edge depends on the path: one route for the prefix `/`, and no policy that asks for `req.path` or rewrites it. Default `reject`.",
    }),
    mutual_tls: mutualTls(),
    tls_termination: httpsTermination(),
  },
  computed: {
    ...waitsFor(),
    ...closedHostports(),
    routes: mark(z.array(answerSchema(httpsEdgeRoute)), {
      embeds: { kind: httpsEdgeRoute.kind, bytes: 4 * MIB },
    }).meta({
      description: "Its routes, newest first; at most 4 MiB together.",
    }),
  },
  findBy: ["hostports"],
  unique: uniqueHostports,
  sample: {
    description: "our site",
    hostports: ["www.example.com:443"],
    mutual_tls: { certificate_authority_ids: ["certificate_authority/clients"] },
    tls_termination: { min_version: "1.3" },
  },
  example: `const site = new tunnels.HttpsEdge("site", {
  hostports: ["www.example.com:443"],
  tlsTermination: { minVersion: "1.3" },
});`,
});
