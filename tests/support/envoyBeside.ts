import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { atEndOfFile } from "./endOfFile";
import { ENVOY } from "./envoy";

/** An Envoy that a gateway did not start, with the bootstrap that the gateway wrote. */
export class EnvoyBeside {
  log = "";
  isStopped = false;

  private constructor(private readonly child: ChildProcess) {
    atEndOfFile(() => this.stop());
    child.stderr?.on("data", (chunk) => {
      this.log += chunk;
    });
  }

  /** @param own the file for its bootstrap: the gateway's from its folder, changed */
  static start(folder: string, own: string, change = (bootstrap: string) => bootstrap): EnvoyBeside {
    writeFileSync(own, change(readFileSync(join(folder, "bootstrap.json"), "utf8")));
    rmSync(join(folder, "admin.sock"), { force: true });
    const drain = ["--drain-time-s", "3", "--drain-strategy", "immediate"];
    const args = ["-c", own, "--concurrency", "1", "--disable-hot-restart", "-l", "error", ...drain];
    return new EnvoyBeside(spawn(ENVOY as string, args, { stdio: ["ignore", "ignore", "pipe"] }));
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    if (this.hasEnded) return;
    const ended = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await ended;
  }
}
