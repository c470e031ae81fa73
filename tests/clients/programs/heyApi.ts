import { client } from "./client/client.gen.js";
import {
  createTlsEdge,
  createTunnelCredential,
  createTunnelGroupBackend,
  deleteTlsEdge,
  listTlsEdges,
  replaceTlsEdgeBackend,
  type TlsEdge,
  updateTlsEdge,
} from "./client/index.js";

const [url = "", key = ""] = process.argv.slice(2);
client.setConfig({ baseUrl: url, auth: key });
const headers = { "Service-Version": "2" } as const;

const web = (
  await createTunnelGroupBackend({ headers, body: { labels: { app: "web" } }, throwOnError: true })
).data;
const made = await createTlsEdge({
  headers,
  throwOnError: true,
  body: {
    hostports: ["typed.example.com:443"],
    backend: { backend_id: web.id },
    tls_termination: { terminate_at: "edge", min_version: "1.3" },
    policies: {
      inbound: [{ actions: [{ type: "rate-limit", config: { name: "all", capacity: 10, rate: "60s" } }] }],
    },
  },
});
const edge: TlsEdge = made.data;
// @ts-expect-error a version of TLS that there is not
const wrong: NonNullable<TlsEdge["tls_termination"]>["min_version"] = "1.1";
const path = { id: edge.id };
const changed = await updateTlsEdge({
  headers,
  path,
  body: { description: String(wrong) },
  throwOnError: true,
});
const module = await replaceTlsEdgeBackend({
  headers,
  path,
  body: { backend_id: web.id, enabled: false },
  throwOnError: true,
});
const page = await listTlsEdges({ headers, query: { limit: 1 }, throwOnError: true });
const credential = await createTunnelCredential({ headers, body: {}, throwOnError: true });
const refused = await createTlsEdge({ headers, body: { hostports: ["no port"] } });
const gone = await deleteTlsEdge({ headers, path });

console.log(
  JSON.stringify({
    minVersion: edge.tls_termination?.min_version,
    ...{ action: edge.policies?.inbound[0]?.actions[0]?.type, description: changed.data.description },
    ...{ enabled: module.data.enabled, backend: module.data.backend.id === web.id },
    ...{ listed: page.data.tls_edges.map(({ id }) => id === edge.id), next: page.data.next_page_uri },
    ...{ token: typeof credential.data.token, refused: refused.error?.error_code },
    gone: gone.response?.status,
  }),
);
