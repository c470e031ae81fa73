import { Rounds } from "./rounds";

/** Work in the background. */
export interface Job {
  /** What cannot be done when it fails, for the log: `order certificates`. */
  readonly name: string;
  /** How often to look for work, in milliseconds. */
  readonly everyMs: number;
  /** How bad a failure is. Default: `warn`. */
  readonly level?: "error";
  /** Whether it begins with the server. Default: after the first interval. */
  readonly atOnce?: true;
  /** One round. `false` says that there is more to do: another round follows. */
  work(): Promise<unknown>;
}

type Logger = Readonly<Record<"error" | "warn", (details: unknown, message: string) => void>>;

/** The background work of a server: each job one round at a time, and again at its next time if it fails. */
export class Jobs {
  readonly #all: readonly { readonly rounds: Rounds; readonly atOnce?: true }[];

  constructor(jobs: readonly Job[], logger: Logger) {
    this.#all = jobs.map(({ name, everyMs, level, work, ...job }) => ({
      ...job,
      rounds: new Rounds({
        work: async () => (await work()) !== false,
        pauseMs: () => 0,
        pollMs: everyMs,
        onError: (error) => logger[level ?? "warn"]({ err: error }, `cannot ${name}`),
      }),
    }));
  }

  start(): void {
    for (const { rounds, atOnce } of this.#all) {
      rounds.start();
      if (atOnce) rounds.wake();
    }
  }

  /** Begins nothing more, and waits for what is in flight. */
  async stop(): Promise<void> {
    await Promise.all(this.#all.map(({ rounds }) => rounds.stop()));
  }
}
