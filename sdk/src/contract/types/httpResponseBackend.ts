import { defineResource } from "../core/definition";
import { description, metadata, text } from "../core/fields";
import { mark } from "../core/marks";
import { HEADER_LIMITS, responseHeaders, responseStatus } from "../formats/http";

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
    body: mark(text(65_536).default(""), { unsearched: true }).meta({
      description: "The body of the response.",
    }),
    headers: mark(responseHeaders(), { userKeys: true })
      .default({})
      .meta({ description: `Headers of the response. ${HEADER_LIMITS}` }),
    status_code: responseStatus()
      .default(200)
      .meta({ description: "The status of the response, 200 to 599." }),
  },
  sample: { status_code: 503, headers: { "retry-after": "600" }, body: "back in ten minutes" },
  example: `const maintenance = new tunnels.HttpResponseBackend("maintenance", {
  statusCode: 503,
  headers: { "retry-after": "600" },
  body: "back in ten minutes",
});`,
});
