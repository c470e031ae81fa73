import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bootstrap, type Configuration } from "../../gateway/dist";
import { atEndOfFile } from "./endOfFile";
import { newFolder } from "./folder";

const { locateEnvoy } = require("../../scripts/envoy.cjs") as { locateEnvoy(): string | undefined };

/** The real Envoy that `npm test` installs where Python 3 with venv is; undefined elsewhere. */
export const ENVOY = locateEnvoy();

/** Skips tests, and says so, where there is no Envoy. */
export function needsEnvoy(test: Mocha.Context): void {
  if (ENVOY) return;
  console.log("    Skipped: Envoy could not be installed, because Python 3 with venv is missing");
  test.skip();
}

/**
 * Has Envoy validate a configuration; returns its error, or undefined.
 * @param make makes the configuration; gets the folder for secrets
 * @param change changes the bootstrap
 */
export function validationError(
  make: (secrets: string) => Configuration,
  change = (one: object) => one,
): string | undefined {
  const folder = newFolder();
  const configuration = make(join(folder, "secrets"));
  try {
    const { dynamic_resources: _, ...start } = bootstrap({ folder, admin: join(folder, "admin.sock") });
    writeSecrets(folder, configuration);
    const { listeners, clusters } = configuration;
    const whole = { ...change(start), static_resources: { listeners, clusters } };
    writeFileSync(join(folder, "static.json"), JSON.stringify(whole));
    execFileSync(ENVOY as string, ["--mode", "validate", "-c", join(folder, "static.json")], {
      stdio: "pipe",
    });
    return undefined;
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function writeSecrets(folder: string, { secrets }: Configuration): void {
  mkdirSync(join(folder, "secrets"), { recursive: true });
  for (const [name, secret] of Object.entries(secrets))
    writeFileSync(join(folder, "secrets", name), JSON.stringify(secret), { mode: 0o600 });
}

/** A running Envoy with one worker. It gets its configurations in the same way as from a gateway. */
export class EnvoyProcess {
  #version = 0;
  output = "";

  private constructor(
    readonly folder: string,
    private readonly child: ChildProcess,
  ) {
    atEndOfFile(() => this.stop());
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk) => {
        this.output += chunk;
      });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** @param change changes its bootstrap */
  static async start(folder = newFolder(), change = (text: string) => text): Promise<EnvoyProcess> {
    for (const name of ["cds", "lds"])
      writeFileSync(join(folder, `${name}.json`), JSON.stringify({ version_info: "0", resources: [] }));
    writeFileSync(
      join(folder, "bootstrap.json"),
      change(JSON.stringify(bootstrap({ folder, admin: join(folder, "admin.sock") }))),
    );
    const args = [
      ...["-c", join(folder, "bootstrap.json"), "--concurrency", "1", "--drain-time-s", "3"],
      ...["--drain-strategy", "immediate", "-l", "warn", "--disable-hot-restart"],
    ];
    const envoy = new EnvoyProcess(
      folder,
      spawn(ENVOY as string, args, { stdio: ["ignore", "pipe", "pipe"] }),
    );
    for (;;) {
      if (envoy.child.exitCode !== null) throw new Error(`Envoy ended before it was ready: ${envoy.output}`);
      if ((await envoy.admin("/ready").catch(() => "")).startsWith("LIVE")) return envoy;
      await sleep(20);
    }
  }

  /** Replaces its configuration, and waits until it is in effect. */
  async push(configuration: Configuration): Promise<void> {
    const { clusters, listeners } = configuration;
    this.#version++;
    writeSecrets(this.folder, configuration);
    await this.#put("cds", "Cluster", "envoy.config.cluster.v3.Cluster", clusters);
    await this.#put("lds", "Listener", "envoy.config.listener.v3.Listener", listeners);
  }

  async #put(name: "cds" | "lds", _kind: string, type: string, resources: readonly object[]): Promise<void> {
    const version = `${this.#version}`;
    const text = JSON.stringify({
      version_info: version,
      resources: resources.map((one) => ({ "@type": `type.googleapis.com/${type}`, ...one })),
    });
    writeFileSync(join(this.folder, `${name}.new`), text);
    const manager = name === "cds" ? "cluster_manager.cds" : "listener_manager.lds";
    const before = await this.stats(manager);
    renameSync(join(this.folder, `${name}.new`), join(this.folder, `${name}.json`));
    for (;;) {
      const now = await this.stats(manager);
      const rejected = (now[`${manager}.update_rejected`] ?? 0) - (before[`${manager}.update_rejected`] ?? 0);
      if (rejected > 0) throw new Error(`Envoy refused ${name}: ${this.output.slice(-4000)}`);
      if (now[`${manager}.update_success`] !== before[`${manager}.update_success`]) break;
      await sleep(10);
    }
    while (
      name === "lds" &&
      (await this.stats("listener_manager.total_listeners_warming"))[
        "listener_manager.total_listeners_warming"
      ] !== 0
    )
      await sleep(10);
  }

  async stats(filter: string): Promise<Record<string, number>> {
    const text = await this.admin(`/stats?filter=${encodeURIComponent(filter)}`);
    return Object.fromEntries(
      text
        .trim()
        .split("\n")
        .map((line) => [line.split(": ")[0], Number(line.split(": ")[1])]),
    );
  }

  admin(path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      request({ socketPath: join(this.folder, "admin.sock"), path }, async (answer) => {
        let text = "";
        for await (const chunk of answer) text += chunk;
        resolve(text);
      })
        .on("error", reject)
        .end();
    });
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, "close");
      this.child.kill("SIGKILL");
      await ended;
    }
  }
}
