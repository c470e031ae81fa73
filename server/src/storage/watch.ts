import { Job } from "@tunnelplane/sdk/jobs";
import { Client, type PoolClient } from "pg";

/** Requests that wait longer are looked at, in milliseconds: with the rest, 5 s at most. */
const LATE_MS = 2_000;
const LOOK_EVERY_MS = 500;
const ANSWER_MS = 2_000;

/** Of this part of pg, its types say nothing. */
type WithStream = PoolClient & {
  readonly connection?: { readonly stream?: { destroy(error: Error): void } };
};

interface Waiting {
  readonly client: PoolClient;
  readonly since: number;
}

/**
 * Notices connections that vanished without a word, such as by a firewall: PostgreSQL does nothing for a
 * request that waits for its answer. Without this they are noticed when a request's time is over, and those
 * of slow requests cannot be told from them.
 */
export class Watch {
  readonly #sessions = new WeakMap<PoolClient, number>();
  readonly #waiting = new Set<Waiting>();
  readonly #looks = new Job({
    name: "look for connections that vanished",
    everyMs: LOOK_EVERY_MS,
    work: () => this.#look(),
  }).start();

  /** @param url where the connections go now */
  constructor(private readonly url: () => string) {}

  /** Says which session of PostgreSQL a connection has: behind a pooler, pg does not know. */
  know(client: PoolClient, session: number): void {
    this.#sessions.set(client, session);
  }

  async over<T>(client: PoolClient, answer: Promise<T>): Promise<T> {
    const waiting = { client, since: performance.now() };
    this.#waiting.add(waiting);
    try {
      return await answer;
    } finally {
      this.#waiting.delete(waiting);
    }
  }

  close(): void {
    void this.#looks.stop();
  }

  async #look(): Promise<void> {
    const before = performance.now() - LATE_MS;
    const late = [...this.#waiting].filter(({ since }) => since < before);
    if (late.length === 0) return;
    const known = late.flatMap((one) => {
      const session = this.#sessions.get(one.client);
      return session === undefined ? [] : [{ ...one, waiting: one, session }];
    });
    const busy = await busyAmong(
      this.url(),
      known.map(({ session }) => session),
    );
    for (const { client, session, waiting } of known)
      if (busy && !busy.has(session) && this.#waiting.has(waiting))
        (client as WithStream).connection?.stream?.destroy(
          new Error("the connection vanished: PostgreSQL knows nothing of what it was asked"),
        );
  }
}

/**
 * The sessions that work on something: none where nobody can be reached, undefined where that cannot be known
 * now, such as while all sessions of a pooler are in use.
 */
async function busyAmong(url: string, sessions: readonly number[]): Promise<Set<number> | undefined> {
  const client = new Client({
    ...{ connectionString: url, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS },
  });
  client.on("error", () => undefined);
  let isReached = false;
  try {
    await client.connect();
    isReached = true;
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where pid = any($1) and state not like 'idle%'",
      [sessions],
    );
    return new Set(rows.map(({ pid }) => pid));
  } catch {
    return isReached ? undefined : new Set();
  } finally {
    void client.end().catch(() => undefined);
  }
}
