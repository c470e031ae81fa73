import type { Kysely } from "kysely";
import type { Transaction } from "./direct";
import type { Database } from "./schema";

/** The interface to a database. The rest of the server knows no other. */
export interface Store {
  /** The database's name for people, without a password. */
  readonly label: string;
  /** Whether several writers may write at once. If not, they take turns. */
  readonly isParallel: boolean;
  /** Reads what is committed. */
  readonly reader: Kysely<Database>;
  /**
   * Runs the work in one transaction. Resolves when it is durable. If the work throws, nothing is kept and
   * the error is passed on.
   *
   * There may be other writers, also in other processes: read a row with `forUpdate()` before you change it.
   * The work may run again from the start, so it must have no effect outside of the transaction.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** The time by the clock that all servers on the database share, in milliseconds since 1970. */
  now(): Promise<number>;
  /** @throws Unavailable if it cannot be written to */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface WriteOptions {
  /** Waits until no other write is in progress, and lets none begin before this one ends. */
  readonly alone?: boolean;
  /** Uses a connection of its own, so that other writes cannot keep it waiting for one. */
  readonly onOwnConnection?: boolean;
  /**
   * On PostgreSQL, keeps statements that only write until one reads, or until the commit: one round trip in
   * place of several. If a constraint refuses any of them, the work runs again, waits for each
   * statement, and can say why. The work may leave out checks that a constraint makes too, see {@link
   * Transaction}.
   */
  readonly optimistic?: boolean;
}

/** The database cannot be used at the moment; nothing was changed. */
export class Unavailable extends Error {
  readonly code = "ERR_STORE_UNAVAILABLE";

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

/** A commit failed and may still be durable: it is unknown whether the change was made. */
export class CommitInDoubt extends Error {
  readonly code = "ERR_STORE_COMMIT_IN_DOUBT";

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}
