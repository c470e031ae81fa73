import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bootstrap, type Configuration } from "../../gateway/dist";
import { statically } from "../../gateway/dist/envoy/static";
import { Envoy } from "../../gateway/dist/sync/envoy";
import { atEndOfFile } from "./endOfFile";
import { newFolder } from "./folder";

const { locateEnvoy } = require("../../tools/scripts/envoy.cjs") as { locateEnvoy(): string | undefined };
/** The real Envoy that `npm test` installs where Python 3 with venv is; undefined elsewhere. */
export const ENVOY = locateEnvoy();

export function needsEnvoy(test: Mocha.Context): void {
  if (ENVOY) return;
  console.log("    Skipped: Envoy could not be installed, because Python 3 with venv is missing");
  test.skip();
}

/** Has Envoy validate a configuration with a changed bootstrap; its error, or undefined. */
export function validationError(
  configuration: Configuration,
  change = (one: object) => one,
): string | undefined {
  const folder = newFolder();
  try {
    const whole = {
      ...change(bootstrap({ admin: join(folder, "admin.sock") })),
      static_resources: statically(configuration),
    };
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

/** A running Envoy with one worker. It gets its configurations in the same way as from a gateway. */
export class EnvoyProcess {
  output = "";

  private constructor(
    readonly folder: string,
    private readonly fed: Envoy,
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

  static async start(folder = newFolder(), change = (text: string) => text): Promise<EnvoyProcess> {
    const fed = new Envoy({ folder, warn: () => undefined, ports: [443] });
    await fed.start();
    const file = join(folder, "bootstrap.json");
    writeFileSync(file, change(readFileSync(file, "utf8")));
    const drain = ["--drain-time-s", "3", "--drain-strategy", "immediate"];
    const args = ["-c", file, "--concurrency", "1", ...drain, "-l", "warn", "--disable-hot-restart"];
    const child = spawn(ENVOY as string, args, { stdio: ["ignore", "pipe", "pipe"] });
    const envoy = new EnvoyProcess(folder, fed, child);
    while (!fed.isConnected) {
      if (child.exitCode !== null) throw new Error(`Envoy ended before it was ready: ${envoy.output}`);
      await sleep(20);
    }
    return envoy;
  }

  async push(configuration: Configuration): Promise<void> {
    const [refused] = await this.fed.push(configuration);
    if (refused)
      throw new Error(
        `Envoy refused ${refused.kind} ${refused.name}: ${refused.reason}; ${this.output.slice(-4000)}`,
      );
    while (!(await this.fed.isInEffect())) await sleep(10);
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
    await this.fed.stop();
  }
}
