import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, present } from "@tunnelplane/sdk/contract";
import type { Json } from "../envoy/json";
import { bootstrap } from "../envoy/listeners";
import type { Configuration } from "../envoy/model";
import { writeWhole } from "../files";

/** The oldest that this was tried with; older ones lack what is used here, and drop it in silence. */
const OLDEST = [1, 40] as const;
const UPDATE_MS = 15_000;
const DRAIN = ["--drain-time-s", "3", "--drain-strategy", "immediate"];

/** Envoy, as a child or beside the gateway: it reads files, and tells at its admin interface what became of them. */
export class Envoy {
  #child: ChildProcess | undefined;
  #stopping = false;
  #version = 0;
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
    writeWhole(this.#file("bootstrap"), JSON.stringify(bootstrap({ folder: this.folder, admin: this.admin })));
    if (!this.program || (await this.isReady())) return;
    this.#spawn(this.program);
    for (let tries = 0; tries < 500 && !this.#stopping; tries++) {
      if (await this.isReady()) return;
      await sleep(20);
    }
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

  async isReady(): Promise<boolean> {
    return (await this.#ask("/ready").catch(() => "")).startsWith("LIVE");
  }

  /** Hands over a configuration. Returns what Envoy says against it, or nothing. */
  async push({ clusters, listeners, secrets }: Configuration): Promise<string | undefined> {
    for (const [name, secret] of Object.entries(secrets)) writeWhole(join(this.folder, "secrets", name), JSON.stringify(secret));
    const refused =
      (await this.#put("cds", "envoy.config.cluster.v3.Cluster", clusters)) ??
      (await this.#put("lds", "envoy.config.listener.v3.Listener", listeners));
    if (refused === undefined)
      for (const name of readdirSync(join(this.folder, "secrets")))
        if (!(name in secrets)) rmSync(join(this.folder, "secrets", name), { force: true });
    return refused;
  }

  async #put(name: "cds" | "lds", type: string, resources: readonly Json[]): Promise<string | undefined> {
    const prefix = name === "cds" ? "cluster_manager.cds." : "listener_manager.lds.";
    const before = await this.#counters(prefix);
    const version_info = `${Date.now()}.${++this.#version}`;
    writeWhole(
      this.#file(name),
      JSON.stringify({ version_info, resources: resources.map((one) => ({ "@type": `type.googleapis.com/${type}`, ...one })) }),
    );
    if (!before) return undefined; // It will read the file when it starts.
    for (const end = Date.now() + UPDATE_MS; Date.now() < end; await sleep(10)) {
      const now = await this.#counters(prefix);
      if (!now) continue;
      if ((now.update_rejected ?? 0) > (before.update_rejected ?? 0)) return `Envoy refused ${name}.json; its log says why`;
      if ((now.update_success ?? 0) > (before.update_success ?? 0)) return undefined;
    }
    return `Envoy did not take ${name}.json within ${UPDATE_MS / 1000} s`;
  }

  async #counters(prefix: string): Promise<Record<string, number> | undefined> {
    const text = await this.#ask(`/stats?filter=${prefix}update`).catch(() => undefined);
    if (text === undefined) return undefined;
    return Object.fromEntries(
      text.split("\n").map((line) => [present(line.slice(prefix.length).split(": ")[0]), Number(line.split(": ")[1])]),
    );
  }

  /** Asks a second Envoy, which serves nothing, what it thinks of a configuration. */
  complaint({ clusters, listeners }: Configuration): string | undefined {
    if (!this.program) return undefined;
    const folder = mkdtempSync(join(this.folder, "check-"));
    try {
      const { dynamic_resources: _, ...start } = bootstrap({ folder, admin: join(folder, "admin.sock") });
      writeFileSync(join(folder, "all.json"), JSON.stringify({ ...start, static_resources: { clusters, listeners } }), { mode: 0o600 });
      execFileSync(this.program, ["--mode", "validate", "-l", "warn", "-c", join(folder, "all.json")], {
        stdio: "pipe",
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

  stop(): void {
    this.#stopping = true;
    this.#child?.kill("SIGTERM");
  }

  readonly #file = (name: string): string => join(this.folder, `${name}.json`);

  #ask(path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      request({ socketPath: this.admin, path, timeout: 2000 }, (answer) => {
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
  const [, major = "0", minor = "0"] = /\/(\d+)\.(\d+)\.\d+/.exec(said) ?? [];
  if (Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1]))
    throw new Error(`Envoy ${major}.${minor} at ${program} is too old: ${OLDEST.join(".")} or newer is needed`);
}
