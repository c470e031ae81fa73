import { defineResource } from "../core/definition";
import { description, metadata } from "../core/fields";
import type { Rule } from "../core/marks";
import { closedHostports, waitsFor } from "../core/waiting";
import { hostports, uniqueHostports } from "../formats/host";
import { backend, ipRestriction, mutualTls, tlsTermination } from "../modules/edgeModules";
import { policies } from "../modules/policies";

interface Inspecting {
  readonly tls_termination?: { readonly enabled?: boolean; readonly terminate_at?: string } | null;
  readonly mutual_tls?: { readonly enabled?: boolean } | null;
  readonly policies?: { readonly enabled?: boolean } | null;
}

/**
 * Modules that read decrypted traffic cannot work if the edge never decrypts it; spec "TLS termination
 * rules".
 */
const upstreamForbidsInspection: Rule<Inspecting> = function* (edge) {
  const termination = edge.tls_termination;
  if (termination?.enabled === false || termination?.terminate_at !== "upstream") return;
  for (const name of ["mutual_tls", "policies"] as const) {
    const module = edge[name];
    if (module && module.enabled !== false) {
      yield {
        path: [name],
        message:
          'needs the decrypted traffic, which an edge with `terminate_at` "upstream" does not see; remove or disable it, or terminate at the edge',
      };
    }
  }
};

/** spec "TLS edge". */
export const tlsEdge = defineResource({
  type: "TlsEdge",
  kind: "tls_edge",
  title: "TLS edge",
  doc: "Serves hostports over TLS and sends their traffic to a backend. Its modules restrict, authenticate and shape that traffic; each can be declared here or as a resource of its own.",
  path: "/edges/tls",
  listKey: "tls_edges",
  idPrefix: "edgtls",
  readByGateways: true,
  idField: "edge_id",
  fields: {
    description: description(),
    metadata: metadata(),
    hostports: hostports(),
    backend: backend(),
    ip_restriction: ipRestriction(),
    mutual_tls: mutualTls(),
    tls_termination: tlsTermination(),
    policies: policies(),
  },
  computed: { ...waitsFor(), ...closedHostports() },
  rules: [upstreamForbidsInspection],
  findBy: ["hostports"],
  unique: uniqueHostports,
  sample: {
    description: "our app",
    hostports: ["app.example.com:443"],
    backend: { backend_id: "tunnel_group_backend/web" },
    ip_restriction: { ip_policy_ids: ["ip_policy/office"] },
    mutual_tls: { certificate_authority_ids: ["certificate_authority/clients"] },
    tls_termination: { terminate_at: "edge", min_version: "1.3" },
    policies: {
      inbound: [
        {
          name: "no scanners",
          expressions: ['conn.client_ip.inCidrRange("198.51.100.0/24")'],
          actions: [{ type: "deny", config: {} }],
        },
      ],
    },
  },
  example: `const edge = new tunnels.TlsEdge("edge", {
  hostports: ["app.example.com:443"],
  backend: { backendId: web.id },
  mutualTls: { certificateAuthorityIds: [clients.id] },
  tlsTermination: { minVersion: "1.3" },
});`,
});
