import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "../envoy/json";
import { bootstrap } from "../envoy/listeners";
import type { Configuration } from "../envoy/model";
import { writeWhole } from "../state/files";
import { EnvoyAdmin } from "./envoyAdmin";
import { EnvoyFiles, type Outcome } from "./envoyFiles";
import { EnvoyProcess } from "./envoyProcess";
import { faultOfVersion, validate, versionIn } from "./envoyProgram";
import type { Engine, Refusal } from "./synchroniser";

/** How long it may be silent: 10,000 hostports with certificates took 4 to 8 s on two idle cores. */
const SILENT_MS = 5000;
const SILENT_MS_FOR_EACH_CHAIN = 5;
/** Each reason costs Envoy's start. */
const MAX_REASONS = 20;
const ITS_LOG = "Envoy's log says why";

/** Envoy, as a child or beside the gateway. It reads files; its admin interface says whether it took them. */
export class Envoy implements Engine {
  readonly #admin: EnvoyAdmin;
  readonly #files: EnvoyFiles;
  readonly #bootstrap: string;
  /** Undefined if Envoy runs beside the gateway. */
  readonly #process: EnvoyProcess | undefined;
  isInformed = true;
  /** The clusters that Envoy has, to which its listeners may refer; undefined while that is not known. */
  #clusters: readonly Json[] | undefined;

  /** @param program undefined if Envoy runs beside the gateway @param ports of hostports */
  constructor(
    readonly folder: string,
    private readonly program: string | undefined,
    private readonly warn: (message: string) => void,
    private readonly ports: readonly number[],
  ) {
    this.#admin = new EnvoyAdmin(join(folder, "admin.sock"));
    mkdirSync(join(folder, "secrets"), { recursive: true, mode: 0o700 });
    this.#files = new EnvoyFiles(folder, this.#admin);
    this.#bootstrap = join(folder, "bootstrap.json");
    if (program)
      this.#process = new EnvoyProcess({
        program,
        bootstrap: this.#bootstrap,
        admin: this.#admin,
        prepare: () => this.#files.prepare(),
        onEnd: () => {
          this.isInformed = false;
        },
        warn,
      });
  }

  /** Starts Envoy with the configuration that it took last; an Envoy that still runs goes on. */
  async start(): Promise<void> {
    if (await this.isReady()) await this.#files.keepTaken();
    else this.#files.prepare();
    const content = bootstrap({ folder: this.folder, admin: this.#admin.socket, ports: this.ports });
    writeWhole(this.#bootstrap, JSON.stringify(content));
    await this.#process?.start();
  }

  stop = async (): Promise<void> => this.#process?.stop();

  get cure(): string {
    return `nothing answers at ${this.#admin.socket}: start Envoy with -c ${this.#bootstrap}, as a user who may write there`;
  }

  /** The version of the Envoy that runs; empty while it does not answer. */
  async version(): Promise<string> {
    const said = await this.#admin.ask("/server_info").catch(() => "{}");
    const { version: whole = "" }: { version?: string } = JSON.parse(said);
    const version = versionIn(whole);
    const fault = version === "" ? undefined : faultOfVersion(version, "beside the gateway");
    if (fault !== undefined) this.warn(fault);
    return version;
  }

  /** The addresses on which it listens, as `ADDRESS:PORT`; undefined until it is ready. */
  listening = async (): Promise<string[] | undefined> =>
    (await this.isReady()) ? this.#admin.listening() : undefined;
  isReady = (): Promise<boolean> => this.#admin.isReady();

  /**
   * Whether it serves any configuration, even one of an earlier run or one before a configuration that it
   * refused.
   */
  isServing = async (): Promise<boolean> => this.#files.hasTaken && (await this.isReady());

  /** Hands over a configuration. Returns Envoy's refusal, or undefined if it took the configuration. */
  async push({ clusters, listeners, secrets }: Configuration): Promise<Refusal | undefined> {
    this.isInformed = await this.isReady();
    for (const [name, secret] of Object.entries(secrets))
      writeWhole(join(this.folder, "secrets", name), JSON.stringify(secret));
    const names = new Set(clusters.map(({ name }) => name));
    this.#clusters ??= await this.#files.taken("cds");
    // Clusters that go stay until no listener refers to them.
    const leaving = (this.#clusters ?? []).filter(({ name }) => !names.has(name));
    const patience = patienceFor(listeners);
    const refused =
      (await this.#putClusters([...clusters, ...leaving], patience)) ??
      (await this.#putListeners(listeners, patience));
    if (refused !== undefined) return refused;
    if (!this.isInformed) return undefined; // The configuration that it took last may need the others.
    for (const name of readdirSync(join(this.folder, "secrets")))
      if (!Object.hasOwn(secrets, name)) rmSync(join(this.folder, "secrets", name), { force: true });
    return leaving.length === 0 ? undefined : this.#putClusters(clusters, patience);
  }

  async #putListeners(listeners: readonly Json[], patience: number): Promise<Refusal | undefined> {
    const { outcome } = await this.#files.put("lds", listeners, patience);
    if (this.#isFine(outcome)) return undefined;
    const reason = outcome === "refused" ? await this.#admin.listenerFault() : undefined;
    await this.#files.undo("lds", patience);
    return {
      reason: reason ?? WHAT_HAPPENED[outcome]("lds.json", patience),
      clusters: new Map(),
      isSilent: outcome === "silent",
    };
  }

  async #putClusters(clusters: readonly Json[], patience: number): Promise<Refusal | undefined> {
    const { outcome, version } = await this.#files.put("cds", clusters, patience);
    if (outcome === "taken") this.#clusters = clusters;
    if (this.#isFine(outcome)) return undefined;
    const reasons =
      outcome === "refused" ? await this.#faultsAmong(clusters, version) : new Map<string, string>();
    await this.#files.undo("cds", patience);
    return {
      reason: WHAT_HAPPENED[outcome]("cds.json", patience),
      clusters: reasons,
      isSilent: outcome === "silent",
    };
  }

  #isFine(outcome: Outcome): outcome is "taken" | "nobody is there" {
    // An Envoy that starts reads the configuration that was taken last, and then needs the newest again.
    if (outcome === "nobody is there") this.isInformed = false;
    return outcome === "taken" || outcome === "nobody is there";
  }

  /**
   * The clusters at fault among those that it did not take. One field out of range makes it refuse a whole
   * file.
   */
  async #faultsAmong(clusters: readonly Json[], version: string): Promise<ReadonlyMap<string, string>> {
    const before = new Map((this.#clusters ?? []).map((cluster) => [cluster.name, JSON.stringify(cluster)]));
    const held = await this.#admin.clusters();
    const isMissing = (cluster: Json) => {
      const since = held.get(String(cluster.name));
      const changed = before.get(cluster.name) ?? JSON.stringify(cluster);
      return since === undefined || (since !== version && changed !== JSON.stringify(cluster));
    };
    const reasons = new Map<string, string>();
    for (const cluster of clusters.filter(isMissing).slice(0, MAX_REASONS)) {
      const fault = await this.#faultOf(cluster);
      if (fault !== undefined) reasons.set(String(cluster.name), fault);
    }
    return reasons;
  }

  async #faultOf(cluster: Json): Promise<string | undefined> {
    return this.program && validate(this.program, this.folder, { clusters: [cluster], listeners: [] });
  }

  /** Has a second Envoy, which serves nothing, check a configuration; undefined where none can be started. */
  get validate(): Engine["validate"] {
    const { program } = this;
    return program === undefined
      ? undefined
      : (configuration) => validate(program, this.folder, configuration);
  }
}

const patienceFor = (listeners: readonly Json[]): number =>
  SILENT_MS + SILENT_MS_FOR_EACH_CHAIN * listeners.flatMap(({ filter_chains }) => filter_chains).length;

const WHAT_HAPPENED: Readonly<
  Record<Exclude<Outcome, "taken" | "nobody is there">, (file: string, patience: number) => string>
> = {
  refused: (file) => `Envoy refused ${file}; ${ITS_LOG}`,
  unread: (file) => `Envoy could not read ${file}; ${ITS_LOG}`,
  ended: (file) => `Envoy ended when it read ${file}`,
  silent: (file, patience) => `Envoy said nothing about ${file} within ${patience / 1000} s`,
};
