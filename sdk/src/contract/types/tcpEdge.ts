import { defineResource } from "../core/definition";
import { description, metadata } from "../core/fields";
import { closedHostports, waitsFor } from "../core/waiting";
import { tcpHostports, uniqueHostports, uniquePorts } from "../formats/host";
import { backend, ipRestriction } from "../modules/edgeModules";
import { policies } from "../modules/policies";

/** names "TCP edge". */
export const tcpEdge = defineResource({
  type: "TcpEdge",
  kind: "tcp_edge",
  title: "TCP edge",
  doc: "Serves ports over TCP and sends the bytes of each connection to a backend as they are. Connections say no name, so a port belongs to one edge. Its modules restrict and shape that traffic; each can be declared here or as a resource of its own.",
  path: "/edges/tcp",
  listKey: "tcp_edges",
  idPrefix: "edgtcp",
  readByGateways: true,
  idField: "edge_id",
  fields: {
    description: description(),
    metadata: metadata(),
    hostports: tcpHostports(),
    backend: backend(),
    ip_restriction: ipRestriction(),
    policies: policies(),
  },
  computed: { ...waitsFor(), ...closedHostports() },
  findBy: ["hostports"],
  unique: (sent: { readonly hostports: readonly string[] }) => [
    ...uniqueHostports(sent),
    ...uniquePorts(sent),
  ],
  sample: {
    description: "our database",
    hostports: ["db.example.com:20001"],
    backend: { backend_id: "tunnel_group_backend/web" },
    ip_restriction: { ip_policy_ids: ["ip_policy/office"] },
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
  example: `const edge = new tunnels.TcpEdge("edge", {
  hostports: ["db.example.com:20001"],
  backend: { backendId: database.id },
  ipRestriction: { ipPolicyIds: [office.id] },
});`,
});
