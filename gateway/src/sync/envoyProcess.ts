import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Job } from "@tunnelplane/sdk/jobs";
import type { EnvoyAdmin } from "./envoyAdmin";

const START_MS = 10_000;
const LOOK_EVERY_MS = 20;
const ADOPTED_EVERY_MS = 1000;
/** How often in a row an adopted Envoy may fail to answer before another one is started. */
const MAX_SILENT = 3;
const AGAIN_MS = 1000;
const END_MS = 5000;
const DRAIN = ["--drain-time-s", "3", "--drain-strategy", "immediate"];

type State =
  | { readonly name: "new" }
  /** Started by an earlier gateway, which ended and left it running. */
  | { readonly name: "adopted"; readonly watching: Job }
  | { readonly name: "running"; readonly child: ChildProcess }
  /** It ended by itself, and is started again soon. */
  | { readonly name: "ended" }
  | { readonly name: "stopping" };

interface Options {
  readonly program: string;
  /** The file of its bootstrap. */
  readonly bootstrap: string;
  readonly admin: EnvoyAdmin;
  readonly warn: (message: string) => void;
}

/** The states of an Envoy that the gateway runs. docs/architecture/gateway.md has a picture. */
export class EnvoyProcess {
  #state: State = { name: "new" };

  constructor(private readonly options: Options) {}

  get state(): State["name"] {
    return this.#state.name;
  }

  #isIn = (name: State["name"]): boolean => this.#state.name === name;

  /** Starts it and waits until it answers, at most 10 s; or adopts one that answers already. */
  async start(): Promise<void> {
    const { admin } = this.options;
    if (await admin.isThere()) return this.#adopt();
    this.#spawn();
    for (const end = Date.now() + START_MS; Date.now() < end && !this.#isIn("stopping"); ) {
      if (await admin.isThere()) return;
      await sleep(LOOK_EVERY_MS);
    }
  }

  #adopt(): void {
    let silent = 0;
    const look = async () => {
      silent = (await this.options.admin.isThere()) ? 0 : silent + 1;
      if (silent < MAX_SILENT || !this.#isIn("adopted")) return;
      void watching.stop();
      this.options.warn(
        "Envoy, which an earlier gateway had started, does not answer; another one is started",
      );
      this.#spawn();
    };
    const watching = new Job({ name: "watch Envoy", everyMs: ADOPTED_EVERY_MS, work: look }).start();
    this.#state = { name: "adopted", watching };
  }

  #spawn(): void {
    const { program, bootstrap, admin, warn } = this.options;
    const more = process.env.TUNNELPLANE_ENVOY_ARGS?.split(" ") ?? [];
    rmSync(admin.socket, { force: true });
    const args = ["-c", bootstrap, "--disable-hot-restart", "-l", "warn", ...DRAIN, ...more];
    // Its output goes where the gateway's goes, so that it outlives a gateway that is killed.
    const child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"] });
    child.once("error", (error) => warn(`Envoy could not be started: ${error.message}`));
    child.once("exit", (code, signal) => void this.#end(`${signal ?? code}`));
    this.#state = { name: "running", child };
  }

  async #end(how: string): Promise<void> {
    if (!this.#isIn("running")) return;
    this.#state = { name: "ended" };
    this.options.warn(`Envoy ended (${how}); it is started again in a second`);
    await sleep(AGAIN_MS);
    if (this.#isIn("ended")) this.#spawn();
  }

  /** Stops it, and waits until it has ended, at most 5 s: the next gateway needs its ports. */
  async stop(): Promise<void> {
    const { admin } = this.options;
    const before = this.#state;
    this.#state = { name: "stopping" };
    if (before.name === "adopted") await before.watching.stop();
    if (before.name === "running") before.child.kill("SIGTERM");
    else await admin.ask("/quitquitquit", "POST").catch(() => undefined);
    const isThere = async () => (before.name === "running" ? isRunning(before.child) : await admin.isThere());
    for (const end = Date.now() + END_MS; Date.now() < end && (await isThere()); ) await sleep(LOOK_EVERY_MS);
  }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;
