import type { FastifyInstance } from "fastify";
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { type Restrictions, refuseUnlessMay } from "../auth";
import type { DeliveryMetric } from "../events";
import type { Siblings } from "../process";
import type { Gate } from "./gate";

// Reads take about a millisecond, writes wait for the disk, and an authority's key takes up to seconds.
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Counts {
  /** Requests that were refused, and answers that were cut off. */
  readonly refused: () => number;
  readonly cutOff: () => number;
  readonly restrictions: Restrictions["counts"];
}

/**
 * Answers `GET /metrics` in the Prometheus format, to admins and bots of role metrics: requests, event
 * deliveries, the process and the release. Labels hold path patterns and ids of event destinations, never a
 * key or other text that a client chose.
 */
export function registerMetrics(
  app: FastifyInstance,
  version: string,
  siblings: Siblings,
  counts: Counts,
  deliveries: readonly DeliveryMetric[],
  gate: Gate,
): void {
  const registry = new Registry();
  measureRequests(app, registry);
  registerCounts(registry, version, counts);
  for (const metric of deliveries) registerDeliveryMetric(registry, metric);
  collectDefaultMetrics({ register: registry });
  siblings.on("metrics", () => registry.getMetricsAsJSON());
  app.register(async (scraped) => {
    gate.guard(scraped, {
      isOfAccount: () => true,
      refuse: ({ caller }) => refuseUnlessMay(caller, "read", "metrics"),
      slot: "never",
    });
    scraped.get("/metrics", async (_request, reply) => {
      const all = siblings.count === 1 ? registry : await withThoseOf(siblings, registry);
      return reply.type(registry.contentType).send(await all.metrics());
    });
  });
}

/** The durations of requests, by route. */
function measureRequests(app: FastifyInstance, registry: Registry): void {
  const durations = new Histogram({
    name: "tunnelplane_http_request_duration_seconds",
    help: "Duration of requests, from their headers to the end of their answers.",
    labelNames: ["method", "route", "status"],
    buckets: SECONDS,
    registers: [registry],
  });
  // As many as there are routes, methods and statuses; looking one up by its labels takes longer.
  const known = new Map<string, ReturnType<typeof durations.labels>>();
  app.addHook(
    "onResponse",
    ({ method, routeOptions: { url = "none" } }, { statusCode, elapsedTime }, done) => {
      const name = `${method} ${statusCode} ${url}`;
      const duration = known.get(name) ?? durations.labels(method, url, String(statusCode));
      known.set(name, duration);
      duration.observe(elapsedTime / 1000);
      done();
    },
  );
}

function registerCounts(registry: Registry, version: string, counts: Counts): void {
  const counter = (name: string, help: string, count: () => number) =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(count());
      },
    });
  counter(
    "tunnelplane_http_requests_refused_total",
    "Requests refused because the server, or one owner, had reached the limit of requests at once.",
    counts.refused,
  );
  counter(
    "tunnelplane_http_answers_cut_off_total",
    "Answers cut off because the client did not read them.",
    counts.cutOff,
  );
  new Gauge({
    name: "tunnelplane_build_info",
    help: "The running release, as a label; always 1.",
    labelNames: ["version", "node"],
    aggregator: "first",
    registers: [registry],
  })
    .labels(version, process.version)
    .set(1);
  new Gauge({
    name: "tunnelplane_ip_restrictions",
    help: "IP restrictions of the account, by type and whether they are enforced.",
    labelNames: ["type", "enforced"],
    aggregator: "first",
    registers: [registry],
    async collect() {
      this.reset();
      for (const { type, enforced, count } of await counts.restrictions())
        this.set({ type, enforced: String(enforced) }, count);
    },
  });
}

/** Adds up the metrics of all processes; facts of the database are the same in each and taken once. */
async function withThoseOf(siblings: Siblings, registry: Registry): Promise<Registry> {
  const others = (await siblings.ask("metrics")).filter((one) => Array.isArray(one));
  return AggregatorRegistry.aggregate([await registry.getMetricsAsJSON(), ...others]);
}

function registerDeliveryMetric(registry: Registry, { name, help, type, collect }: DeliveryMetric): void {
  const options = { name, help, labelNames: ["destination"], registers: [registry] };
  const refill = async (metric: Counter | Gauge) => {
    metric.reset(); // drops deleted destinations
    for (const [destination, value] of await collect()) metric.inc({ destination }, value);
  };
  if (type === "counter") {
    new Counter({
      ...options,
      async collect() {
        await refill(this);
      },
    });
  } else {
    new Gauge({
      ...options,
      aggregator: "first",
      async collect() {
        await refill(this);
      },
    });
  }
}
