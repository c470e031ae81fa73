import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { atEndOfFile } from "./endOfFile";
import { Rest } from "./rest";

const CLI = join(__dirname, "../../server/dist/cli/main.js");
/** One master key for all databases of a test, so that a backup of one can be restored into another. */
export const MASTER_KEY = Buffer.alloc(32, "key of servers in tests").toString("base64");
/** The environment of a server whose clock {@link ServerProcess.passAnHour} moves. */
export const MOVABLE_CLOCK = { NODE_OPTIONS: `--require=${join(__dirname, "movableClock.cjs")}` };
/** The environment of a server whose monotonic clock is three times as fast. */
export const FAST_CLOCK = { NODE_OPTIONS: `--require=${join(__dirname, "fastClock.cjs")}` };
export const API_KEY = "tpk_of-the-admin-in-tests-and-demos";

/** What runs: this build under the Node of the tests, unless something else is given. */
interface Program {
  readonly node?: string | undefined;
  /** The file of a command line, for example that of another build. */
  readonly cli?: string | undefined;
}

/** The environment that names a database, and the master key that opens it. */
export function placeOf(data: string): Record<string, string | undefined> {
  const isUrl = data.startsWith("postgres://");
  return {
    TUNNELPLANE_DATABASE_URL: isUrl ? data : undefined,
    TUNNELPLANE_DATA: isUrl ? undefined : data,
    TUNNELPLANE_MASTER_KEY: MASTER_KEY,
  };
}

/** Starts a command on a database, a folder or a URL; "ignore" where nobody reads its standard error. */
export function command(
  data: string,
  args: readonly string[],
  env: Record<string, string | undefined> = {},
  log: "pipe" | "ignore" = "pipe",
  { node = process.execPath, cli = CLI }: Program = {},
): ChildProcessByStdio<null, Readable, Readable | null> {
  const { TESTS_NODE_FLAG: flag } = process.env; // set by tests/typescript.cjs
  const flags = ["--disable-warning=ExperimentalWarning", ...(flag ? [flag] : [])];
  return spawn(node, [...flags, cli, ...args], {
    env: { ...process.env, ...placeOf(data), ...env },
    stdio: ["ignore", "pipe", log],
  }) as ChildProcessByStdio<null, Readable, Readable | null>;
}

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string };
/** Runs a command of tunnelplane, and waits for its end. */
export const run = (data: string, ...args: string[]): Promise<Ended> => endOf(command(data, args));

/** Waits for the end of a command, and returns its output. */
export async function endOf(child: ReturnType<typeof command>): Promise<Ended> {
  let [out, err] = ["", ""];
  child.stdout.setEncoding("latin1").on("data", (chunk) => {
    out += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    err += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}

export interface StartOptions extends Program {
  /** A folder, or the URL of a PostgreSQL database. Default: a new folder, deleted when the server stops. */
  readonly data?: string;
  readonly listen?: string;
  readonly env?: Record<string, string | undefined>;
  readonly args?: readonly string[];
  /** Default: true. Reading the log slows measurements down. */
  readonly keepLog?: boolean;
}

/** A real server in a process of its own, on a free port of the loopback interface, until the file ends. */
export class ServerProcess {
  private constructor(
    readonly url: string,
    readonly apiKey: string,
    readonly data: string,
    private readonly child: ChildProcess,
    private readonly output: { out: string; log: string },
    private readonly ownsData: boolean,
  ) {
    atEndOfFile(() => this.stop("SIGKILL"));
  }

  static async start({
    data,
    listen = "127.0.0.1:0",
    env,
    args = [],
    keepLog = true,
    ...program
  }: StartOptions = {}): Promise<ServerProcess> {
    const folder = data ?? mkdtempSync(join(tmpdir(), "tunnelplane-"));
    const settings = {
      TUNNELPLANE_BOOTSTRAP_API_KEY: API_KEY,
      // No test asks a real authority.
      TUNNELPLANE_ACME_DIRECTORY: "https://127.0.0.1:9/directory",
      ...env,
    };
    const child = command(
      folder,
      ["serve", "--listen", listen, ...args],
      settings,
      keepLog ? "pipe" : "ignore",
      program,
    );
    const output = { out: "", log: "" };
    child.stderr?.on("data", (chunk) => {
      output.log += chunk;
    });
    const url = await new Promise<string>((resolve, reject) => {
      createInterface({ input: child.stdout }).on("line", (line) => {
        output.out += `${line}\n`;
        const found = / listens on (https?:\S+),/.exec(line)?.[1];
        if (found) resolve(found);
      });
      child.once("close", (code) =>
        reject(new Error(`The server ended with ${code} before it listened: ${output.log}`)),
      );
    });
    return new ServerProcess(url, API_KEY, folder, child, output, data === undefined);
  }

  get pid(): number {
    return this.child.pid as number;
  }

  get rest(): Rest {
    return new Rest(this.url, this.apiKey);
  }

  get log(): string {
    return this.output.log;
  }

  /** The log of what happens meanwhile: between the lines of two requests of our own. */
  async logDuring(run: () => Promise<unknown>): Promise<string> {
    const start = await this.mark();
    await run();
    const end = await this.mark();
    return this.log.slice(start.after, end.before);
  }

  /** Sends a request that can be recognized, and waits until its line is in the log. */
  private async mark(): Promise<{ before: number; after: number }> {
    const id = `mark-${randomUUID()}`;
    await fetch(`${this.url}/livez`, { headers: { "x-request-id": id } });
    for (;;) {
      const at = this.log.indexOf(id);
      const after = at < 0 ? 0 : this.log.indexOf("\n", at) + 1;
      if (after > 0) return { before: this.log.lastIndexOf("\n", at) + 1, after };
      await once(this.child.stderr as Readable, "data");
    }
  }

  /** Closes the pipe that its log goes to, as a program at the other end does when it exits. */
  closeLog(): void {
    this.child.stderr?.destroy();
  }

  get printed(): string {
    return this.output.out;
  }

  async logged(text: string): Promise<void> {
    while (!this.log.includes(text)) await once(this.child.stderr as Readable, "data");
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Sets its clock ahead by an hour, soon; it has to be started with {@link MOVABLE_CLOCK}. */
  passAnHour(): void {
    this.signal("SIGUSR2");
  }

  /** Sets its clock back to the real time, soon. */
  returnToNow(): void {
    this.signal("SIGWINCH");
  }

  /** Pauses it, and waits until it has stopped, which takes a while on a busy machine; /proc shows when. */
  async pause(): Promise<void> {
    const status = `/proc/${this.child.pid}/status`;
    this.signal("SIGSTOP");
    while (existsSync(status) && !/^State:\s+T/m.test(readFileSync(status, "utf8"))) await sleep(1);
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    if (this.isRunning) {
      const ended = once(this.child, "close");
      this.child.kill(signal);
      await ended;
    }
    if (this.ownsData) rmSync(this.data, { recursive: true, force: true });
    return this.child.exitCode;
  }
}
