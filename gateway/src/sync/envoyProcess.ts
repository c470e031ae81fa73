import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Json } from "../envoy/json";
import { bootstrap } from "../envoy/listeners";
import type { Configuration } from "../envoy/model";
import { writeWhole } from "../files";
import { EnvoyAdmin } from "./envoyAdmin";
import { checkProgram, faultOfVersion, validate, versionIn } from "./envoyProgram";
import type { Engine, Refusal } from "./synchroniser";

/** 10,000 hostports with a certificate each took it 4 to 8 s on an idle machine of two cores. */
const UPDATE_MS = 120_000;
const LOOK_EVERY_MS = 1000;
const MOST_SILENT = 3;
const END_MS = 5000;
/** Each reason costs Envoy's start. */
const MOST_REASONS = 20;
const ITS_LOG = "Envoy's log says why";
const DRAIN = ["--drain-time-s", "3", "--drain-strategy", "immediate"];

/** Envoy, as a child or beside the gateway: it reads files, and tells at its admin interface what became of them. */
export class Envoy implements Engine {
  #child: ChildProcess | undefined;
  #watching: NodeJS.Timeout | undefined;
  #stopping = false;
  #version = 0;
  /** What it took last, by the name of the file. */
  readonly #taken = new Map<string, string>();
  /** Whether it was there when it was told something last. */
  isTold = true;
  /** The clusters that it has, which its listeners may refer to; undefined while nobody knows. */
  #clusters: readonly Json[] | undefined;
  readonly #admin: EnvoyAdmin;

  /**
   * @param program undefined where Envoy runs beside the gateway
   * @param ports those that hostports may name
   */
  constructor(
    readonly folder: string,
    private readonly program: string | undefined,
    private readonly log: (message: string) => void,
    private readonly ports: readonly number[],
  ) {
    this.#admin = new EnvoyAdmin(join(folder, "admin.sock"));
    mkdirSync(join(folder, "secrets"), { recursive: true, mode: 0o700 });
    if (program) checkProgram(program);
  }

  /** Starts it with what it was told last; one that still runs from before goes on. */
  async start(): Promise<void> {
    for (const name of ["cds", "lds"])
      if (!existsSync(this.#file(name))) writeWhole(this.#file(name), JSON.stringify({ version_info: "0", resources: [] }));
    writeWhole(this.#file("bootstrap"), JSON.stringify(bootstrap({ folder: this.folder, admin: this.#admin.socket, ports: this.ports })));
    if (!this.program) return;
    if (await this.isReady()) return this.#adopt(this.program);
    this.#spawn(this.program);
    for (let tries = 0; tries < 500 && !this.#stopping; tries++) {
      if (await this.isReady()) return;
      await sleep(20);
    }
  }

  /** Goes on with an Envoy that an earlier gateway left behind; starts another one when it ends. */
  #adopt(program: string): void {
    let silent = 0;
    this.#watching = setInterval(async () => {
      silent = (await this.isReady()) ? 0 : silent + 1;
      if (silent < MOST_SILENT || this.#stopping) return;
      clearInterval(this.#watching);
      this.log("Envoy, which an earlier gateway had started, does not answer; another one is started");
      this.#spawn(program);
    }, LOOK_EVERY_MS).unref();
  }

  #spawn(program: string): void {
    const args = [
      "-c",
      this.#file("bootstrap"),
      "--disable-hot-restart",
      "-l",
      "warn",
      ...DRAIN,
      ...(process.env.TUNNELPLANE_ENVOY_ARGS?.split(" ") ?? []),
    ];
    rmSync(this.#admin.socket, { force: true });
    // Its output goes where ours goes, so that it outlives a gateway that is killed.
    this.#child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
    this.#child.once("error", (error) => this.log(`Envoy could not be started: ${error.message}`));
    this.#child.once("exit", async (code, signal) => {
      if (this.#stopping) return;
      this.log(`Envoy ended (${signal ?? code}); it is started again in a second`);
      await sleep(1000);
      if (!this.#stopping) this.#spawn(program);
    });
  }

  get cure(): string {
    return `nothing answers at ${this.#admin.socket}: start Envoy with -c ${this.#file("bootstrap")}, as a user who may write there`;
  }

  /** The version of the Envoy that runs; empty while it does not answer. */
  async version(): Promise<string> {
    const said = await this.#admin.ask("/server_info").catch(() => "{}");
    const version = versionIn((JSON.parse(said) as { version?: string }).version ?? "");
    const fault = version === "" ? undefined : faultOfVersion(version, "beside the gateway");
    if (fault !== undefined) this.log(fault);
    return version;
  }

  /** What it listens on, as `ADDRESS:PORT`; undefined until it is ready. */
  listening = async (): Promise<string[] | undefined> => ((await this.isReady()) ? this.#admin.listening() : undefined);
  isReady = (): Promise<boolean> => this.#admin.isReady();

  /** Hands over a configuration. Returns what Envoy says against it, or nothing. @throws where it says nothing at all */
  async push({ clusters, listeners, secrets }: Configuration): Promise<Refusal | undefined> {
    this.isTold = await this.isReady();
    for (const [name, secret] of Object.entries(secrets)) writeWhole(join(this.folder, "secrets", name), JSON.stringify(secret));
    const names = new Set(clusters.map(({ name }) => name));
    this.#clusters ??= await this.#clustersOfFile();
    // Clusters that leave stay until no listener refers to them.
    const leaving = (this.#clusters ?? []).filter(({ name }) => !names.has(name));
    const refused = (await this.#putClusters([...clusters, ...leaving])) ?? (await this.#putListeners(listeners));
    if (refused !== undefined) return refused;
    for (const name of readdirSync(join(this.folder, "secrets")))
      if (!(name in secrets)) rmSync(join(this.folder, "secrets", name), { force: true });
    return this.#putClusters(clusters);
  }

  /** Those of the file, if the Envoy that runs took it. */
  async #clustersOfFile(): Promise<readonly Json[] | undefined> {
    const { version_info, resources } = JSON.parse(readFileSync(this.#file("cds"), "utf8")) as { version_info: string; resources: Json[] };
    const isTaken = await this.#admin.tookClusters(version_info);
    if (isTaken === undefined) return undefined;
    return isTaken ? resources.map(({ "@type": _, ...cluster }) => cluster) : [];
  }

  async #putListeners(listeners: readonly Json[]): Promise<Refusal | undefined> {
    if ((await this.#put("lds", "envoy.config.listener.v3.Listener", listeners)).outcome !== "refused") return undefined;
    return { reason: (await this.#admin.listenerFault()) ?? `Envoy refused lds.json; ${ITS_LOG}`, clusters: new Map() };
  }

  async #putClusters(clusters: readonly Json[]): Promise<Refusal | undefined> {
    const { outcome, version } = await this.#put("cds", "envoy.config.cluster.v3.Cluster", clusters);
    if (outcome === "taken") this.#clusters = clusters;
    if (outcome !== "refused") return undefined;
    // Envoy takes each cluster for itself; those that it refused must not ride in what it is told next.
    const before = new Map((this.#clusters ?? []).map((cluster) => [cluster.name, JSON.stringify(cluster)]));
    const held = await this.#admin.clusters();
    const isRefused = (cluster: Json) => {
      const since = held.get(String(cluster.name));
      const changed = before.get(cluster.name) ?? JSON.stringify(cluster);
      return since === undefined || (since !== version && changed !== JSON.stringify(cluster));
    };
    this.#clusters = clusters.filter((cluster) => !isRefused(cluster));
    const reasons = new Map<string, string>();
    for (const cluster of clusters.filter(isRefused))
      reasons.set(String(cluster.name), (reasons.size < MOST_REASONS ? await this.#faultOf(cluster) : undefined) ?? ITS_LOG);
    return { reason: `Envoy refused cds.json; ${ITS_LOG}`, clusters: reasons };
  }

  async #faultOf(cluster: Json): Promise<string | undefined> {
    return this.program && validate(this.program, this.folder, { clusters: [cluster], listeners: [] });
  }

  async #put(
    name: "cds" | "lds",
    type: string,
    resources: readonly Json[],
  ): Promise<{ readonly outcome: "taken" | "refused" | "nobody is there"; readonly version: string }> {
    const text = JSON.stringify(resources.map((one) => ({ "@type": `type.googleapis.com/${type}`, ...one })));
    const version = `${Date.now()}.${++this.#version}`;
    // It reads a file as a whole, however little of it changed.
    if (this.#taken.get(name) === text) return { outcome: "taken", version };
    this.#taken.delete(name);
    const prefix = name === "cds" ? "cluster_manager.cds." : "listener_manager.lds.";
    let before = await this.#admin.counters(prefix);
    writeWhole(this.#file(name), `{"version_info":"${version}","resources":${text}}`);
    if (!before) {
      this.isTold = false; // It will read the file when it starts.
      return { outcome: "nobody is there", version };
    }
    for (const end = Date.now() + UPDATE_MS; Date.now() < end; await sleep(10)) {
      const now = await this.#admin.counters(prefix);
      if (!now) continue;
      if ((now.update_attempt ?? 0) < (before.update_attempt ?? 0)) before = {}; // It was started again.
      if ((now.update_rejected ?? 0) > (before.update_rejected ?? 0)) return { outcome: "refused", version };
      if ((now.update_success ?? 0) > (before.update_success ?? 0)) {
        this.#taken.set(name, text);
        return { outcome: "taken", version };
      }
    }
    throw new Error(`Envoy did not take ${name}.json within ${UPDATE_MS / 1000} s`);
  }

  /** Asks a second Envoy, which serves nothing, what it thinks of a configuration. Where there is none, the one that runs is asked. */
  async complaint(configuration: Configuration): Promise<string | undefined> {
    return this.program ? validate(this.program, this.folder, configuration) : (await this.push(configuration))?.reason;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#watching);
    if (!this.program) return;
    if (this.#child) this.#child.kill("SIGTERM");
    else await this.#admin.ask("/quitquitquit", "POST").catch(() => undefined);
    // The next gateway needs its ports.
    for (const end = Date.now() + END_MS; Date.now() < end && (await this.#isThere()); ) await sleep(20);
  }

  async #isThere(): Promise<boolean> {
    return this.#child ? this.#child.exitCode === null && this.#child.signalCode === null : this.isReady();
  }

  readonly #file = (name: string): string => join(this.folder, `${name}.json`);
}
