import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AdsServer, type Refused } from "../ads/server";
import { addressText } from "../envoy/address";
import { isChecked } from "../envoy/clusters";
import type { Json } from "../envoy/json";
import { bootstrap } from "../envoy/listeners";
import type { Configuration } from "../envoy/model";
import type { Part } from "../envoy/part";
import { PROBE, probeOf } from "../envoy/static";
import { writeWhole } from "../state/files";
import { reach } from "../steps";
import { EnvoyAdmin } from "./envoyAdmin";
import { EnvoyProcess } from "./envoyProcess";
import { faultOfVersion } from "./envoyProgram";
import { Handover } from "./handover";
import type { Engine } from "./synchroniser";
import { resourcesOf, worldOf } from "./world";

/** How long it may be silent: 10,000 hostports with certificates took 4 to 8 s on two idle cores. */
const SILENT_MS = 5000;
const SILENT_MS_FOR_EACH_CHAIN = 5;

/** A health check takes at most a second. */
const WARM_MS = 1500;
const LOOK_EVERY_MS = 10;
/** Who connected until the listeners took a change has asked by then, or has kept the connection. */
const HANDOVER_MS = 1000;

interface Options {
  /** The folder for its bootstrap and its sockets. */
  readonly folder: string;
  /** Undefined if Envoy runs beside the gateway. */
  readonly program?: string | undefined;
  readonly warn: (message: string) => void;
  /** Of hostports. */
  readonly ports: readonly number[];
  /** Whether what old connections need stays for a while. Default: true. */
  readonly lingers?: boolean;
}

/** Envoy, as a child or beside the gateway, which gives it its configuration by its own protocol. */
export class Envoy implements Engine {
  readonly #admin: EnvoyAdmin;
  readonly #ads: AdsServer;
  readonly #bootstrap: string;
  /** Undefined if Envoy runs beside the gateway. */
  readonly #process: EnvoyProcess | undefined;
  readonly #handover: Handover;
  #isPushed = false;
  /** The listeners that it took last; undefined if it did not take the last ones. */
  #taken: readonly Json[] | undefined;

  constructor(private readonly options: Options) {
    const { folder, program, warn, lingers = true } = options;
    const handover = lingers ? HANDOVER_MS : 0;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    this.#admin = new EnvoyAdmin(join(folder, "admin.sock"));
    this.#ads = new AdsServer(join(folder, "ads.sock"), {
      whenWarm: (clusters) => this.#whenWarm(clusters),
      handover,
      ...(lingers ? {} : { linger: 0 }),
    });
    this.#handover = new Handover(handover);
    this.#bootstrap = join(folder, "bootstrap.json");
    if (program)
      this.#process = new EnvoyProcess({ program, bootstrap: this.#bootstrap, admin: this.#admin, warn });
  }

  /** Starts Envoy; one that still runs goes on. @throws if another gateway feeds it */
  async start(): Promise<void> {
    await this.#ads.start();
    const { socket: admin } = this.#admin;
    const content = bootstrap({ admin, ads: this.#ads.socket, ports: this.options.ports });
    writeWhole(this.#bootstrap, JSON.stringify(content));
    await this.#process?.start();
  }

  async stop(): Promise<void> {
    await this.#process?.stop();
    await this.#ads.stop();
  }

  get cure(): string {
    return `nothing asks at ${this.#ads.socket}: start Envoy with -c ${this.#bootstrap}, as a user who may open it`;
  }

  /** The version of the Envoy that runs; empty while none is connected. */
  get version(): string {
    const { version } = this.#ads;
    const fault = version === "" ? undefined : faultOfVersion(version, "beside the gateway");
    if (fault !== undefined) this.options.warn(fault);
    return version;
  }

  /** The addresses on which it listens, as `ADDRESS:PORT`; undefined until it has started. */
  listening = async (): Promise<readonly string[] | undefined> => {
    if (this.isInformed && this.#taken) return this.#taken.flatMap(addressesOf);
    return (await this.#admin.isThere()) ? this.#admin.listening() : undefined;
  };
  isReady = (): Promise<boolean> => this.#admin.isReady();
  /** Whether all listeners serve: a new Envoy takes its first ones before its threads do. */
  isInEffect = async (): Promise<boolean> =>
    (await this.#admin.gauge("listener_manager.total_listeners_warming")) === 0 && (await this.isReady());

  /**
   * Whether it serves anything, even what an earlier gateway gave it or what it had before it refused
   * another.
   */
  isServing = async (): Promise<boolean> =>
    (await this.isReady()) && (this.#ads.hasTaken || (await this.#admin.listening()).length > 0);

  get isInformed(): boolean {
    return this.#isPushed && this.#ads.isSettled;
  }

  get isConnected(): boolean {
    return this.#ads.state !== "none";
  }

  async push(configuration: Configuration): Promise<readonly Refused[]> {
    const patience = patienceFor(configuration.listeners);
    const world = worldOf(configuration);
    reach("encoded");
    const first = resourcesOf("route", this.#handover.begin(configuration.routes));
    const outcome = await this.#ads.publish(world, first, patience);
    this.#isPushed = outcome !== "absent";
    this.#taken = outcome === "taken" ? configuration.listeners : undefined;
    if (outcome === "silent") throw new Error(`Envoy did not answer within ${patience / 1000} s`);
    if (outcome === "taken" || outcome === "absent") {
      this.#handover.take(configuration.routes);
      return [];
    }
    return outcome;
  }

  /** Envoy takes a cluster with health checks at once, and uses it after the first of them. */
  async #whenWarm(clusters: readonly string[]): Promise<void> {
    if (!clusters.some(isChecked)) return;
    const end = Date.now() + WARM_MS;
    while (Date.now() < end && (await this.#admin.gauge("cluster_manager.warming_clusters")) !== 0)
      await sleep(LOOK_EVERY_MS);
  }

  async probe(parts: readonly Part[]): Promise<ReadonlyMap<string, string>> {
    const listeners = parts.map(probeOf).filter(({ filter_chains }) => (filter_chains as Json[]).length > 0);
    const probes = [...resourcesOf("listener", listeners).values()];
    const refused = await this.#ads.probe(probes, patienceFor(listeners));
    return new Map([...refused].map(([name, reason]) => [name.slice(PROBE.length), reason]));
  }
}

const addressesOf = ({ address, additional_addresses: others }: Json): string[] =>
  [{ address }, ...((others ?? []) as Json[])].flatMap((one) => {
    const { socket_address: at } = (one.address ?? {}) as {
      socket_address?: { address: string; port_value: number };
    };
    return at ? [addressText({ host: at.address, port: at.port_value })] : [];
  });

const patienceFor = (listeners: readonly Json[]): number =>
  SILENT_MS + SILENT_MS_FOR_EACH_CHAIN * listeners.flatMap(({ filter_chains }) => filter_chains).length;
