import type { Kysely } from "kysely";
import type { Database } from "./schema";

/** Where everything is kept. The rest of the server knows no more of a database than this. */
export interface Store {
  /** Where that is, for people to read. Holds no password. */
  readonly place: string;
  /** Reads what is committed. */
  readonly reader: Kysely<Database>;
  /**
   * Runs the work in one transaction. Resolves when it is durable; rejects with what the work threw, and
   * then nothing of it is kept.
   *
   * There may be other writers, also in other processes: a row that is read in order to change it is read
   * with `forUpdate()`. The work may run again from the start, so it has no effect outside the transaction.
   */
  write<T>(work: (transaction: Kysely<Database>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The database cannot be used at the moment; nothing was changed. */
export class Unavailable extends Error {
  readonly code = "ERR_STORE_UNAVAILABLE";

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}

/** A commit failed at a point where it may be kept all the same: it is not known whether the change was made. */
export class CommitInDoubt extends Error {
  readonly code = "ERR_STORE_COMMIT_IN_DOUBT";

  constructor(message: string, cause: unknown) {
    super(message, { cause });
  }
}
