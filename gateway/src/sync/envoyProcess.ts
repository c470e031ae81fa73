import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { messageOf, present } from "@tunnelplane/sdk/contract";
import type { Json } from "../envoy/json";
import { bootstrap } from "../envoy/listeners";
import type { Configuration } from "../envoy/model";
import { writeWhole } from "../files";

const runFile = promisify(execFile);

/** The oldest that this was tried with; older ones lack what is used here, and drop it in silence. */
const OLDEST = [1, 40] as const;
/** 10,000 hostports with a certificate each took it 4 to 8 s on an idle machine of two cores. */
const UPDATE_MS = 120_000;
const LOOK_EVERY_MS = 1000;
const MOST_SILENT = 3;
const END_MS = 5000;
const DRAIN = ["--drain-time-s", "3", "--drain-strategy", "immediate"];

/** Envoy, as a child or beside the gateway: it reads files, and tells at its admin interface what became of them. */
export class Envoy {
  #child: ChildProcess | undefined;
  #watching: NodeJS.Timeout | undefined;
  #stopping = false;
  #version = 0;
  /** What it took last, by the name of the file. */
  readonly #taken = new Map<string, string>();
  /** Whether it was there when it was told something last. */
  isTold = true;
  /** The clusters that listeners it has may refer to. */
  #clusters: readonly Json[] = [];
  readonly admin: string;

  /** @param program undefined where Envoy runs beside the gateway */
  constructor(
    readonly folder: string,
    private readonly program: string | undefined,
    private readonly log: (message: string) => void,
  ) {
    this.admin = join(folder, "admin.sock");
    mkdirSync(join(folder, "secrets"), { recursive: true, mode: 0o700 });
    if (program) checkVersion(program);
  }

  /** Starts it with what it was told last; one that still runs from before goes on. */
  async start(): Promise<void> {
    for (const name of ["cds", "lds"])
      if (!existsSync(this.#file(name))) writeWhole(this.#file(name), JSON.stringify({ version_info: "0", resources: [] }));
    this.#clusters = (JSON.parse(readFileSync(this.#file("cds"), "utf8")) as { resources: Json[] }).resources;
    writeWhole(this.#file("bootstrap"), JSON.stringify(bootstrap({ folder: this.folder, admin: this.admin })));
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
    rmSync(this.admin, { force: true });
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
    return `nothing answers at ${this.admin}: start Envoy with -c ${this.#file("bootstrap")}, as a user who may write there`;
  }

  /** The version of the Envoy that runs; empty while it does not answer. */
  async version(): Promise<string> {
    const said = await this.#ask("/server_info").catch(() => "{}");
    const version = VERSION.exec((JSON.parse(said) as { version?: string }).version ?? "")?.[0].slice(1) ?? "";
    if (version !== "" && isTooOld(version)) this.log(tooOld(version, "beside the gateway"));
    return version;
  }

  /** What the Envoy that runs listens on, as `ADDRESS:PORT`. */
  async listening(): Promise<string[]> {
    const said = await this.#ask("/listeners").catch(() => "");
    return [...said.matchAll(/::(\S+:\d+)$/gm)].map(([, place]) => place as string);
  }

  async isReady(): Promise<boolean> {
    return (await this.#ask("/ready").catch(() => "")).startsWith("LIVE");
  }

  /** Hands over a configuration. Returns what Envoy says against it, or nothing. @throws where it says nothing at all */
  async push({ clusters, listeners, secrets }: Configuration): Promise<string | undefined> {
    this.isTold = await this.isReady();
    for (const [name, secret] of Object.entries(secrets)) writeWhole(join(this.folder, "secrets", name), JSON.stringify(secret));
    const names = new Set(clusters.map(({ name }) => name));
    // Clusters that leave stay until no listener refers to them.
    const passing = [...clusters, ...this.#clusters.filter(({ name }) => !names.has(name))];
    const refused = (await this.#putClusters(passing)) ?? (await this.#put("lds", "envoy.config.listener.v3.Listener", listeners));
    this.#clusters = passing;
    if (refused !== undefined) return refused;
    for (const name of readdirSync(join(this.folder, "secrets")))
      if (!(name in secrets)) rmSync(join(this.folder, "secrets", name), { force: true });
    const left = await this.#putClusters(clusters);
    this.#clusters = clusters;
    return left;
  }

  #putClusters = (clusters: readonly Json[]) => this.#put("cds", "envoy.config.cluster.v3.Cluster", clusters);

  async #put(name: "cds" | "lds", type: string, resources: readonly Json[]): Promise<string | undefined> {
    const text = JSON.stringify(resources.map((one) => ({ "@type": `type.googleapis.com/${type}`, ...one })));
    // It reads a file as a whole, however little of it changed.
    if (this.#taken.get(name) === text) return undefined;
    this.#taken.delete(name);
    const prefix = name === "cds" ? "cluster_manager.cds." : "listener_manager.lds.";
    let before = await this.#counters(prefix);
    const version_info = `${Date.now()}.${++this.#version}`;
    writeWhole(this.#file(name), `{"version_info":"${version_info}","resources":${text}}`);
    if (!before) return undefined; // It will read the file when it starts.
    for (const end = Date.now() + UPDATE_MS; Date.now() < end; await sleep(10)) {
      const now = await this.#counters(prefix);
      if (!now) continue;
      if ((now.update_attempt ?? 0) < (before.update_attempt ?? 0)) before = {}; // It was started again.
      if ((now.update_rejected ?? 0) > (before.update_rejected ?? 0))
        return (await this.#fault()) ?? `Envoy refused ${name}.json; its log says why`;
      if ((now.update_success ?? 0) > (before.update_success ?? 0)) {
        this.#taken.set(name, text);
        return undefined;
      }
    }
    throw new Error(`Envoy did not take ${name}.json within ${UPDATE_MS / 1000} s`);
  }

  /** What is wrong with the listener that it refused last. */
  async #fault(): Promise<string | undefined> {
    const said = await this.#ask("/config_dump?resource=dynamic_listeners&mask=error_state.details").catch(() => "{}");
    const { configs = [] } = JSON.parse(said) as { configs?: { error_state?: { details?: string } }[] };
    return configs.flatMap(({ error_state }) => error_state?.details ?? []).at(-1);
  }

  async #counters(prefix: string): Promise<Record<string, number> | undefined> {
    const text = await this.#ask(`/stats?filter=${prefix}update`).catch(() => undefined);
    if (text === undefined) return undefined;
    return Object.fromEntries(
      text.split("\n").map((line) => [present(line.slice(prefix.length).split(": ")[0]), Number(line.split(": ")[1])]),
    );
  }

  /** Asks a second Envoy, which serves nothing, what it thinks of a configuration. Where there is none, the one that runs is asked. */
  async complaint(configuration: Configuration): Promise<string | undefined> {
    if (!this.program) return this.push(configuration);
    const { clusters, listeners } = configuration;
    const folder = mkdtempSync(join(this.folder, "check-"));
    try {
      const { dynamic_resources: _, ...start } = bootstrap({ folder, admin: join(folder, "admin.sock") });
      writeFileSync(join(folder, "all.json"), JSON.stringify({ ...start, static_resources: { clusters, listeners } }), { mode: 0o600 });
      await runFile(this.program, ["--mode", "validate", "-l", "warn", "-c", join(folder, "all.json")], {
        timeout: 60_000,
        maxBuffer: 64 << 20,
      });
      return undefined;
    } catch (error) {
      const said = String((error as { stderr?: Buffer }).stderr ?? messageOf(error));
      const cause = said.match(/[^\n]*(?:caused by|Failed|Invalid|error)[^\n]*/g)?.at(-1) ?? "it ended without saying why";
      return cause.slice(-300);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#watching);
    if (!this.program) return;
    if (this.#child) this.#child.kill("SIGTERM");
    else await this.#ask("/quitquitquit", "POST").catch(() => undefined);
    // The next gateway needs its ports.
    for (const end = Date.now() + END_MS; Date.now() < end && (await this.#isThere()); ) await sleep(20);
  }

  async #isThere(): Promise<boolean> {
    return this.#child ? this.#child.exitCode === null && this.#child.signalCode === null : this.isReady();
  }

  readonly #file = (name: string): string => join(this.folder, `${name}.json`);

  #ask(path: string, method = "GET"): Promise<string> {
    return new Promise((resolve, reject) => {
      request({ socketPath: this.admin, path, method, timeout: 2000 }, (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (chunk) => {
          text += chunk;
        });
        answer.on("end", () => resolve(text)).on("error", reject);
      })
        .on("timeout", function (this: { destroy(error: Error): void }) {
          this.destroy(new Error("Envoy's admin interface does not answer"));
        })
        .on("error", reject)
        .end();
    });
  }
}

function checkVersion(program: string): void {
  let said: string;
  try {
    said = execFileSync(program, ["--version"], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    throw new Error(
      `Envoy could not be run as ${program} (${(error as NodeJS.ErrnoException).code ?? "it failed"}): install it, or say where it is with --envoy`,
    );
  }
  const version = VERSION.exec(said)?.[0].slice(1) ?? "0.0.0";
  if (isTooOld(version)) throw new Error(tooOld(version, `at ${program}`));
}

const VERSION = /\/\d+\.\d+\.\d+/;

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

const tooOld = (version: string, where: string): string =>
  `Envoy ${version} ${where} is too old: ${OLDEST.join(".")} or newer is needed; install it, or say where it is with --envoy`;
