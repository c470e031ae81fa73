import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresServer } from "../../../tests/support/postgres";
import { cpuSecondsOfFamily } from "../processes";

const SAMPLE_MS = 50;

/** The cost of a load in the database. */
export interface DatabaseCost {
  /** Processor time of PostgreSQL's processes, in seconds; undefined if there is no /proc. */
  readonly seconds: number | undefined;
  /** How many sessions waited for a lock, on average of samples of `pg_stat_activity`. */
  readonly waiting: number;
}

/** Watches a database of a PostgreSQL server. The returned function stops watching and answers the cost. */
export async function watchDatabase(
  postgres: PostgresServer,
  url: string,
): Promise<() => Promise<DatabaseCost>> {
  const session = await postgres.connect(url);
  const before = cpuSecondsOfFamily(postgres.pid);
  const samples: number[] = [];
  let stopped = false;
  const sampling = (async () => {
    while (!stopped) {
      const { rows } = await session.query<{ count: number }>(
        "select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      samples.push(rows[0]?.count ?? 0);
      await sleep(SAMPLE_MS);
    }
  })();
  return async () => {
    stopped = true;
    await sampling;
    const after = cpuSecondsOfFamily(postgres.pid);
    await session.end();
    return {
      seconds: before === undefined || after === undefined ? undefined : after - before,
      waiting: samples.reduce((sum, count) => sum + count, 0) / Math.max(1, samples.length),
    };
  };
}
