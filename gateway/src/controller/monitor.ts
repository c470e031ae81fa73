import { createServer, type Server } from "node:http";
import { own } from "@tunnelplane/sdk/contract";
import { Gauge, Registry } from "prom-client";
import type { Address } from "../envoy/address";
import type { Envoy } from "../sync/envoy";
import type { Observer } from "../traffic/observer";
import { textOf } from "../traffic/series";
import type { Gateway } from "./gateway";

/** Answers /metrics, /livez and /readyz. */
export class Monitor {
  private constructor(private readonly server: Server) {}

  static async start(
    { host, port }: Address,
    { gateway, envoy, observer }: { gateway: Gateway; envoy: Envoy; observer: Observer | undefined },
  ): Promise<Monitor> {
    const registry = new Registry();
    const gauge = (name: string, help: string, value: () => number) =>
      new Gauge({
        name: `tunnelplane_gateway_${name}`,
        help,
        registers: [registry],
        collect() {
          this.set(value());
        },
      });
    gauge(
      "edges_applied",
      "Edges that are served as they were declared",
      () => gateway.edges.filter(({ state }) => state === "applied").length,
    );
    gauge(
      "edges_rejected",
      "Edges that are not served, or not completely",
      () => gateway.edges.filter(({ state }) => state === "rejected").length,
    );
    gauge(
      "server_read_timestamp_seconds",
      "When the server was last read; 0 for never",
      () => gateway.readAt / 1000,
    );
    gauge("changes", "Configurations that Envoy took", () => gateway.changes);
    gauge("failures", "Readings and configurations that failed", () => gateway.failures);
    gauge("taken", "Whether Envoy took the newest configuration: 1 or 0", () => Number(gateway.isTaken));
    const health: Readonly<Record<string, () => Promise<string | undefined>>> = {
      "/livez": async () => ((await envoy.isServing()) ? undefined : "nothing is served"),
      "/readyz": async () => {
        if (!gateway.hasServed || !(await envoy.isReady())) return "nothing is served yet";
        return gateway.isTaken
          ? undefined
          : "Envoy has not taken the newest configuration; the gateway's log says why";
      },
    };
    const server = createServer(async ({ url = "" }, response) => {
      if (url === "/metrics")
        response
          .setHeader("content-type", registry.contentType)
          .end((await registry.metrics()) + textOf(observer?.shown(gateway.agentsAt) ?? [], gateway.agents));
      else if (Object.hasOwn(health, url)) {
        const fault = await own(health, url)?.();
        response.writeHead(fault === undefined ? 200 : 503).end(`${fault ?? "ok"}\n`);
      } else response.writeHead(404).end();
    });
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
    return new Monitor(server);
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}
