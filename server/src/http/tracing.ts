import { type Span, tracing } from "@tunnelplane/sdk/tracing";
import type { FastifyInstance } from "fastify";

/**
 * Makes each request a span that continues its caller's trace, where requests are traced. It tells method,
 * route and status: no query, no id, no header.
 */
export function traceRequests(app: FastifyInstance): void {
  const tracer = tracing();
  if (!tracer) return;
  const spans = new WeakMap<object, Span>();
  app.addHook("onRequest", (request, _reply, done) => {
    const { traceparent } = request.headers;
    const span = tracer.start(request.method, {
      kind: "server",
      traceparent: typeof traceparent === "string" ? traceparent : undefined,
      attributes: { "http.request.method": request.method, "url.scheme": request.protocol },
    });
    spans.set(request, span);
    tracer.within(span, done);
  });
  app.addHook("onResponse", (request, { statusCode }, done) => {
    const route = request.routeOptions.url;
    spans.get(request)?.end({
      name: `${request.method} ${route ?? "none"}`,
      attributes: { "http.response.status_code": statusCode, ...(route && { "http.route": route }) },
      failed: statusCode >= 500,
    });
    done();
  });
}
