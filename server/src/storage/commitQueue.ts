import { CompiledQuery, type Kysely } from "kysely";
import type { Database } from "./schema";

interface Job {
  readonly work: (transaction: Kysely<Database>) => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

// Above 128 a group gains nothing (one fsync is shared by enough) and the first in it would wait longer.
const LARGEST_GROUP = 128;

const BEGIN = CompiledQuery.raw("begin immediate");
const COMMIT = CompiledQuery.raw("commit");
const ROLLBACK = CompiledQuery.raw("rollback");
const SAVEPOINT = CompiledQuery.raw("savepoint job");
const RELEASE = CompiledQuery.raw("release job");
const ROLLBACK_TO = CompiledQuery.raw("rollback to job");

/**
 * Writes for a database with one writer. What waits while a commit is on its way to the disk shares the
 * next one: a savepoint each, one fsync for all, and no promise settles before it.
 */
export class CommitQueue {
  readonly #waiting: Job[] = [];
  #draining: Promise<void> | undefined;

  constructor(private readonly writer: Kysely<Database>) {}

  write<T>(work: (transaction: Kysely<Database>) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    await this.#draining;
  }

  async #drain(): Promise<void> {
    // Lets the requests that arrived in this turn of the event loop join the first group.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) {
      await this.#commit(this.#waiting.splice(0, LARGEST_GROUP));
    }
    this.#draining = undefined;
  }

  async #commit(group: Job[]): Promise<void> {
    const settle: (() => void)[] = [];
    try {
      await this.writer.connection().execute(async (connection) => {
        await connection.executeQuery(BEGIN);
        try {
          for (const job of group) settle.push(await runInSavepoint(connection, job));
          await connection.executeQuery(COMMIT);
        } catch (error) {
          await connection.executeQuery(ROLLBACK).catch(() => undefined);
          throw error;
        }
      });
      for (const tell of settle) tell();
    } catch (error) {
      for (const job of group) job.reject(error);
    }
  }
}

async function runInSavepoint(connection: Kysely<Database>, job: Job): Promise<() => void> {
  await connection.executeQuery(SAVEPOINT);
  try {
    const result = await job.work(connection);
    await connection.executeQuery(RELEASE);
    return () => job.resolve(result);
  } catch (error) {
    await connection.executeQuery(ROLLBACK_TO);
    await connection.executeQuery(RELEASE);
    return () => job.reject(error);
  }
}
