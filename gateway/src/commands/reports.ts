import { join } from "node:path";
import type { Addresses } from "../traffic/abbreviated";
import { AccessLog } from "../traffic/accessLog";
import { Observer } from "../traffic/observer";
import { Recorder } from "../traffic/recorder";
import { Traces } from "../traffic/traces";

export interface ReportFlags {
  /** How long recorded traffic is kept, in milliseconds. */
  readonly recordTraffic?: number;
  readonly recordAddresses?: Addresses;
  readonly hostportMetrics: boolean;
  /** `-` for standard output. */
  readonly accessLog?: string;
}

type Warn = (message: string) => void;

/** Opens the sockets for what Envoy reports of requests, as far as somebody wants to know. */
export async function openReports(flags: ReportFlags, state: string, warn: Warn) {
  const folder = join(state, "envoy");
  const recorder = await openRecorder(flags, state, warn);
  const observer = await openObserver(flags, folder, warn);
  const traces = await Traces.start(folder, warn);
  return {
    recorder,
    observer,
    /** What Envoy's configuration depends on. */
    wanted: {
      recording: recorder && { socket: recorder.socket },
      counting: observer?.counting,
      tracing: traces?.tracing,
    },
    async stop() {
      await recorder?.stop();
      await observer?.stop();
      traces?.stop();
    },
  };
}

async function openRecorder(
  { recordTraffic: keepFor, recordAddresses: addresses }: ReportFlags,
  state: string,
  warn: Warn,
): Promise<Recorder | undefined> {
  if (keepFor !== undefined)
    return Recorder.start({ state, keepFor, addresses: addresses ?? "network", warn });
  if (addresses === undefined) return undefined;
  throw new Error("--record-addresses says how traffic is recorded, which is off: add --record-traffic 7d");
}

async function openObserver(
  { hostportMetrics, accessLog }: ReportFlags,
  folder: string,
  warn: Warn,
): Promise<Observer | undefined> {
  if (!hostportMetrics && accessLog === undefined) return undefined;
  const log = accessLog === undefined ? undefined : await AccessLog.open(accessLog, warn);
  return Observer.start({ folder, log, warn });
}
