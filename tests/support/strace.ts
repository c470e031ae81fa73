import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createReadStream, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { newFolder } from "./folder";

let permitted: boolean | undefined;

/** Whether strace is there and may attach to processes, which containers often forbid. */
export function canTrace(): boolean {
  permitted ??= spawnSync("sh", ["-c", "sleep 0.2 & strace -f -qq -o /dev/null -p $!"]).status === 0;
  return permitted;
}

/** Watches the system calls of a running process, or makes them fail as the kernel would. */
export class Strace {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** @param options the options of strace(1): which calls to watch, and how they fail */
  static async attach(pid: number, ...options: string[]): Promise<Strace> {
    const folder = newFolder();
    const child = spawn("strace", ["-f", "-y", "-o", join(folder, "trace"), ...options, "-p", String(pid)], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    await new Promise<void>((resolve, reject) => {
      const said: string[] = [];
      createInterface({ input: child.stderr as NodeJS.ReadableStream }).on("line", (line) => {
        said.push(line);
        if (/ attached\b/.test(line)) resolve();
      });
      child.once("close", () => reject(new Error(`strace ended: ${said.join("\n")}`)));
    });
    return new Strace(child, folder);
  }

  /** Detaches from the process. Returns its system calls, one per line. */
  async detach(): Promise<string[]> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, "close");
      this.child.kill("SIGTERM");
      await ended;
    }
    // Read line by line: the file may exceed the longest possible string.
    const lines: string[] = [];
    for await (const line of createInterface({ input: createReadStream(join(this.folder, "trace")) }))
      lines.push(line);
    rmSync(this.folder, { recursive: true });
    return lines;
  }
}
