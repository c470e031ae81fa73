import { z } from "zod";
import { defineResource } from "../core/definition";
import { conditioned, description, map, metadata, text } from "../core/fields";
import { mark } from "../core/marks";

const headerName = conditioned(text(255, "characters"), (name) =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) ? undefined : "is not a name of an HTTP header",
);
const headerValue = conditioned(text(8192), (value) => (/[\r\n\0]/.test(value) ? "must not hold a line break or a zero byte" : undefined));

/** HTTP-response backend; fields after api-decisions "Backends, IP policies". */
export const httpResponseBackend = defineResource({
  type: "HttpResponseBackend",
  kind: "http_response_backend",
  subject: "backend",
  title: "HTTP-response backend",
  doc: "Answers every request with the same response, for example a maintenance page.",
  path: "/backends/http_response",
  listKey: "backends",
  idPrefix: "bkdhr",
  readByGateways: true,
  fields: {
    description: description(),
    metadata: metadata(),
    body: text(65_536).default("").meta({ description: "The body of the response." }),
    headers: mark(map(headerName, headerValue), { userKeys: true }).default({}).meta({ description: "Headers of the response." }),
    status_code: z.int().min(100).max(599).default(200).meta({ description: "The status of the response." }),
  },
  sample: { status_code: 503, headers: { "retry-after": "600" }, body: "back in ten minutes" },
  example: `const maintenance = new tunnels.HttpResponseBackend("maintenance", {
  statusCode: 503,
  headers: { "retry-after": "600" },
  body: "back in ten minutes",
});`,
});
