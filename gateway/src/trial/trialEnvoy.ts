import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Configuration } from "../envoy/model";
import { Envoy } from "../sync/envoy";
import { EnvoyAdmin } from "../sync/envoyAdmin";
import type { TrialFolder } from "./folder";

/** The time to start, and for listeners to get key sets and the first health checks of backends. */
const READY_MS = 20_000;
const LOOK_EVERY_MS = 10;
const KEPT_OUTPUT = 4000;
const DRAIN = ["--drain-time-s", "3", "--drain-strategy", "immediate"];

/** An Envoy for one trial, which gets its configuration in the same way as the Envoy of a gateway. */
export class TrialEnvoy {
  #output = "";

  private constructor(
    private readonly envoy: Envoy,
    private readonly admin: EnvoyAdmin,
    private readonly child: ChildProcess,
  ) {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#output = (this.#output + text).slice(-KEPT_OUTPUT);
    });
    child.on("error", (error) => {
      this.#output = error.message;
    });
  }

  static async start(program: string, folder: TrialFolder): Promise<TrialEnvoy> {
    const fed = new Envoy({ folder: folder.path, warn: () => undefined, ports: [], lingers: false });
    await fed.start();
    const bootstrap = join(folder.path, "bootstrap.json");
    const args = ["-c", bootstrap, "--concurrency", "1", "--disable-hot-restart", "-l", "warn", ...DRAIN];
    const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
    folder.keep(child);
    const envoy = new TrialEnvoy(fed, new EnvoyAdmin(join(folder.path, "admin.sock")), child);
    try {
      await envoy.#until("it asked for nothing", async () => fed.isConnected);
      return envoy;
    } catch (error) {
      await envoy.stop();
      throw error;
    }
  }

  /** Serves a configuration, and waits until all of it is in effect. */
  async serve(configuration: Configuration): Promise<void> {
    const [refused] = await this.envoy.push(configuration);
    if (refused) throw new Error(`Envoy refused what was rendered: ${refused.reason}${this.#log}`);
    await this.#until("its listeners were not ready", this.envoy.isInEffect);
  }

  /** Feeds it no more. Its folder ends it. */
  stop = (): Promise<void> => this.envoy.stop();

  /** The local port at which it serves the hostports of each port. */
  async ports(): Promise<ReadonlyMap<number, number>> {
    const listeners = await this.admin.ask("/listeners");
    const lines = listeners.matchAll(/^(?:tcp )?port (\d+)::.*:(\d+)$/gm);
    return new Map([...lines].map(([, port, bound]) => [Number(port), Number(bound)]));
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + READY_MS; !(await holds()); await sleep(LOOK_EVERY_MS)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null || this.child.pid === undefined)
        throw new Error(`Envoy ended${this.#log}`);
      if (Date.now() > end) throw new Error(`Envoy: ${what} after ${READY_MS / 1000} s${this.#log}`);
    }
  }

  get #log(): string {
    return this.#output === "" ? "" : `; it said: ${this.#output.trim()}`;
  }
}
