import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";

/** How much of the log of a program that ended is shown, in lines. */
const LAST_LINES = 20;
/** How long a program may take to end after it was asked to, in milliseconds. */
const END_MS = 15_000;

export interface Started {
  readonly name: string;
  /** A file that this Node runs, and its arguments. */
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** The file that takes everything that it prints. */
  readonly log: string;
}

/** Programs that run together: when one of them ends by itself, `ended` rejects with the end of its log. */
export class Children {
  readonly #running = new Map<ChildProcess, string>();
  /** Rejects when a program ends by itself. */
  readonly ended: Promise<never>;
  #fail: (fault: Error) => void = () => undefined;
  #isStopping = false;

  constructor() {
    this.ended = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.ended.catch(() => undefined); // nobody may be waiting yet
  }

  start({ name, command, env, log }: Started): void {
    const file = openSync(log, "w", 0o600);
    // In a group of its own, a terminal's Ctrl-C does not reach it: it is asked to end once, and by `stop`.
    const child = spawn(process.execPath, command, { env, stdio: ["ignore", file, file], detached: true });
    closeSync(file);
    this.#running.set(child, name);
    const over = (how: string) => {
      this.#running.delete(child);
      if (!this.#isStopping) this.#fail(new Error(`the ${name} ${how}. The end of ${log}:\n${endOf(log)}`));
    };
    child.once("error", ({ message }) => over(`could not be started: ${message}`));
    child.once("exit", (code, signal) => over(`ended with ${signal ?? code}`));
  }

  /** Asks all of them to end, waits for that, and then ends those that are left. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const running = [...this.#running.keys()];
    await Promise.all(
      running.map(async (child) => {
        const exit = once(child, "exit");
        child.kill("SIGTERM");
        const timer = setTimeout(() => child.kill("SIGKILL"), END_MS);
        await exit;
        clearTimeout(timer);
      }),
    );
  }
}

const endOf = (log: string): string =>
  readFileSync(log, "utf8").trimEnd().split("\n").slice(-LAST_LINES).join("\n");
