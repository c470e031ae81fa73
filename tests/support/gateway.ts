import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { atEndOfFile } from "./endOfFile";
import { API_KEY } from "./server";

const CLI = join(__dirname, "../../gateway/dist/cli.js");

/** A command of the gateway in a process of its own, until the file ends. */
export class GatewayProcess {
  log = "";
  out = "";
  isStopped = false;

  private constructor(private readonly child: ChildProcess) {
    atEndOfFile(() => this.stop());
    child.stderr?.on("data", (chunk) => {
      this.log += chunk;
    });
    child.stdout?.on("data", (chunk) => {
      this.out += chunk;
    });
  }

  static start(
    args: readonly string[],
    env: Record<string, string> = {},
    cwd?: string,
    cli = CLI,
  ): GatewayProcess {
    const settings = { TUNNELPLANE_API_KEY: API_KEY, TUNNELPLANE_ENVOY_ARGS: "--concurrency 1", ...env };
    return new GatewayProcess(
      spawn(process.execPath, [cli, ...args], {
        env: { ...process.env, ...settings },
        cwd,
        stdio: ["ignore", "pipe", "pipe"],
      }),
    );
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  async printed(text: string): Promise<void> {
    await this.logged(text, () => this.out);
  }

  async logged(text: string, log = () => this.log): Promise<void> {
    while (!log().includes(text)) {
      if (this.hasEnded) throw new Error(`The gateway ended with ${this.child.exitCode}: ${this.log}`);
      await sleep(20);
    }
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  async ended(): Promise<number | null> {
    if (!this.hasEnded) await once(this.child, "close");
    return this.child.exitCode;
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    this.isStopped = true;
    if (this.hasEnded) return this.child.exitCode;
    // Not "close": an Envoy that outlives a gateway that is killed holds its output open.
    const ended = once(this.child, "exit");
    this.child.kill(signal);
    await ended;
    return this.child.exitCode;
  }
}
