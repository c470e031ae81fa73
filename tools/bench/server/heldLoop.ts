import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How long the event loop of a measured server was held at most. */
export interface LoopWatch {
  /** The environment of the server. */
  readonly env: Record<string, string>;
  /**
   * Milliseconds since the last call: by the clock, and in processor time, which other programs do not add
   * to.
   */
  held(): Promise<{ readonly wall: number; readonly cpu: number }>;
  remove(): void;
}

let watches = 0;

export function loopWatch(): LoopWatch {
  const file = join(tmpdir(), `tunnelplane-loop-${process.pid}-${watches++}`);
  return {
    env: { NODE_OPTIONS: `--require ${join(__dirname, "loopWatch.cjs")}`, BENCH_LOOP_WATCH: file },
    async held() {
      await sleep(250); // longer than the watch waits before it writes
      const most = JSON.parse(readFileSync(file, "utf8"));
      rmSync(file);
      await sleep(250);
      return most;
    },
    remove: () => rmSync(file, { force: true }),
  };
}
