import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

type TlsEdge = components["schemas"]["TlsEdge"];
const [url = "", key = ""] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl: url, headers: { authorization: `Bearer ${key}` } });
const header = { "Service-Version": "2" } as const;

function bodyOf<T>({ data, error }: { data?: T; error?: components["schemas"]["Error"] }): T {
  if (error) throw new Error(`${error.error_code}: ${error.msg}`);
  if (data === undefined) throw new Error("There is no answer");
  return data;
}

const web = bodyOf(
  await api.POST("/backends/tunnel_group", { params: { header }, body: { labels: { app: "web" } } }),
);
const edge: TlsEdge = bodyOf(
  await api.POST("/edges/tls", {
    params: { header, query: { dry_run: false } },
    body: {
      hostports: ["typed.example.com:443"],
      backend: { backend_id: web.id },
      tls_termination: { terminate_at: "edge", min_version: "1.3" },
      policies: {
        inbound: [{ actions: [{ type: "rate-limit", config: { name: "all", capacity: 10, rate: "60s" } }] }],
      },
    },
  }),
);
// @ts-expect-error a version of TLS that there is not
const wrong: NonNullable<TlsEdge["tls_termination"]>["min_version"] = "1.1";
const path = { id: edge.id };
const changed = bodyOf(
  await api.PATCH("/edges/tls/{id}", { params: { header, path }, body: { description: String(wrong) } }),
);
const module = bodyOf(
  await api.PUT("/edges/tls/{id}/backend", {
    params: { header, path },
    body: { backend_id: web.id, enabled: false },
  }),
);
const page = bodyOf(await api.GET("/edges/tls", { params: { header, query: { limit: 1 } } }));
const credential = bodyOf(await api.POST("/credentials", { params: { header }, body: {} }));
const refused = await api.POST("/edges/tls", { params: { header }, body: { hostports: ["no port"] } });
const gone = await api.DELETE("/edges/tls/{id}", { params: { header, path } });

console.log(
  JSON.stringify({
    minVersion: edge.tls_termination?.min_version,
    ...{ action: edge.policies?.inbound[0]?.actions[0]?.type, description: changed.description },
    ...{ enabled: module.enabled, backend: module.backend.id === web.id },
    ...{ listed: page.tls_edges.map(({ id }) => id === edge.id), next: page.next_page_uri },
    ...{ token: typeof credential.token, refused: refused.error?.error_code },
    gone: gone.response.status,
  }),
);
