import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAX_SOCKET_LENGTH } from "../envoy/hostports";

/** Reads the ids of processes, one on each line. When nobody writes any more, it ends them. */
const GUARD =
  'while read -r pid; do pids="$pids $pid"; done; [ -n "$pids" ] && kill -KILL $pids; rm -rf "$1"';
/** The path of a socket in it adds `/sockets/` and sixteen digits. */
const MAX_FOLDER_LENGTH = MAX_SOCKET_LENGTH - "/sockets/0123456789abcdef.sock".length;

/**
 * The temporary folder of a trial. A guard beside this process removes it and ends the programs of the trial,
 * also where this process is killed: no handler of signals would run then.
 */
export class TrialFolder {
  private constructor(
    readonly path: string,
    private readonly guard: ChildProcess,
  ) {}

  static make(): TrialFolder {
    const path = mkdtempSync(join(tmpdir(), "tpt-"));
    // In a group of its own: an interrupt from the terminal would end it first.
    const guard = spawn("sh", ["-c", GUARD, "sh", path], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    guard.on("error", () => undefined);
    guard.stdin?.on("error", () => undefined);
    guard.unref();
    const folder = new TrialFolder(path, guard);
    if (Buffer.byteLength(path) > MAX_FOLDER_LENGTH) {
      void folder.remove();
      throw new Error(
        `the path ${path} is too long for the sockets in it: set TMPDIR to a folder of at most ${MAX_FOLDER_LENGTH - "/tpt-123456".length} bytes`,
      );
    }
    mkdirSync(join(path, "sockets"), { mode: 0o700 });
    return folder;
  }

  /** Has a program end with the trial. */
  keep({ pid }: ChildProcess): void {
    if (pid !== undefined) this.guard.stdin?.write(`${pid}\n`);
  }

  /** Ends the programs and removes the folder. */
  async remove(): Promise<void> {
    if (this.guard.pid === undefined || this.guard.exitCode !== null) return;
    this.guard.ref();
    const ended = once(this.guard, "exit");
    this.guard.stdin?.end();
    await ended;
  }
}
