import { CompiledQuery, type Kysely } from "kysely";
import type { Database } from "./schema";
import { CommitInDoubt } from "./store";

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
 * Group commit for a database with one writer. Writes that wait during a commit share the next one: a savepoint for each,
 * one fsync for all. No promise settles before that fsync.
 */
export class CommitQueue {
  readonly #waiting: Job[] = [];
  #draining: Promise<void> | undefined;

  /** @param writer a connection used only here */
  constructor(private readonly writer: Kysely<Database>) {}

  write<T>(work: (transaction: Kysely<Database>) => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as (result: unknown) => void, reject });
      this.#draining ??= this.#drain();
    });
  }

  /** Resolves when no write waits. */
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
      await this.writer.executeQuery(BEGIN);
      try {
        for (const job of group) settle.push(await runInSavepoint(this.writer, job));
        await commit(this.writer);
      } catch (error) {
        await this.writer.executeQuery(ROLLBACK).catch(() => undefined);
        throw error;
      }
      for (const tell of settle) tell();
    } catch (error) {
      for (const job of group) job.reject(error);
    }
  }
}

/** SQLITE_FULL and SQLITE_IOERR_WRITE: https://www.sqlite.org/rescode.html */
const NOT_WRITTEN: readonly unknown[] = [13, 778];

/**
 * SQLite writes the end of a transaction last, so a failed write is no commit. But a transaction that was written and not
 * synced can come back if the process dies before the next commit overwrites it, so a failed sync leaves the commit in doubt.
 */
async function commit(writer: Kysely<Database>): Promise<void> {
  try {
    await writer.executeQuery(COMMIT);
  } catch (error) {
    if (NOT_WRITTEN.includes((error as { errcode?: number }).errcode)) throw error;
    throw new CommitInDoubt("The disk failed during a commit", error);
  }
}

async function runInSavepoint(writer: Kysely<Database>, job: Job): Promise<() => void> {
  await writer.executeQuery(SAVEPOINT);
  try {
    const result = await job.work(writer);
    await writer.executeQuery(RELEASE);
    return () => job.resolve(result);
  } catch (error) {
    await writer.executeQuery(ROLLBACK_TO);
    await writer.executeQuery(RELEASE);
    return () => job.reject(error);
  }
}
