import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Caller } from "../accounts";
import { ApiError } from "../apiError";

// Reads take about a millisecond, writes wait for the disk, keys of authorities are made in up to seconds.
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Answers `GET /metrics` in the Prometheus format, to admins: requests, the process, the release. Labels hold the
 * patterns of paths, never an id, a key or anything else that a client chose.
 */
export function registerMetrics(
  app: FastifyInstance,
  version: string,
  authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<Caller>,
): void {
  const registry = new Registry();
  const durations = new Histogram({
    name: "tunnelplane_http_request_duration_seconds",
    help: "How long requests took, from their headers to the end of their answers. The count is that of the requests.",
    labelNames: ["method", "route", "status"],
    buckets: SECONDS,
    registers: [registry],
  });
  new Gauge({
    name: "tunnelplane_build_info",
    help: "The release that runs; always 1.",
    labelNames: ["version", "node"],
    registers: [registry],
  })
    .labels(version, process.version)
    .set(1);
  collectDefaultMetrics({ register: registry });

  app.addHook("onResponse", async (request, reply) => {
    durations.observe(
      { method: request.method, route: request.routeOptions.url ?? "none", status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
  });
  app.get("/metrics", async (request, reply) => {
    const { admin } = await authenticate(request, reply);
    if (!admin) throw new ApiError("forbidden", "Only admins may read metrics");
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}
