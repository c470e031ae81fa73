import { join } from "node:path";
import { type Collector, collectorFor } from "@tunnelplane/sdk/tracing";
import type { Tracing } from "../envoy/tracing";
import { Receiver } from "./receiver";

/**
 * Passes what Envoy reports of traces on to a collector, as it is. So Envoy needs neither the collector's
 * address nor what it is asked with.
 */
export class Traces {
  private constructor(
    readonly tracing: Tracing,
    private readonly receiver: Receiver,
    private readonly collector: Collector,
  ) {}

  /** Nothing is traced unless `OTEL_EXPORTER_OTLP_ENDPOINT` is set. @param folder of Envoy's sockets */
  static async start(folder: string, warn: (message: string) => void): Promise<Traces | undefined> {
    const collector = collectorFor("tunnelplane-gateway");
    if (collector === undefined) return undefined;
    const socket = join(folder, "traces.sock");
    const receiver = await Receiver.start({
      socket,
      lost: "requests are not traced",
      take: (report) => collector.send(report, "application/x-protobuf"),
      warn,
    });
    return new Traces({ socket, service: collector.service }, receiver, collector);
  }

  stop(): void {
    this.receiver.stop();
    this.collector.close();
  }
}
