import type { Kysely } from "kysely";
import type { Database } from "./schema";

/** Where everything is kept. The rest of the server knows no more of a database than this. */
export interface Store {
  /** Reads what is committed. */
  readonly reader: Kysely<Database>;
  /**
   * Runs the work in one transaction, alone among writers. Resolves when it is durable; rejects with
   * what the work threw, and then nothing of it is kept.
   */
  write<T>(work: (transaction: Kysely<Database>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
