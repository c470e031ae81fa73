import { sql } from "kysely";
import type { Transaction } from "./direct";
import { statement } from "./statement";

/**
 * Until the transaction ends, no other one gets a lock of this name. On SQLite there is one writer at a time
 * anyway.
 */
export async function lockName(transaction: Transaction, name: string): Promise<void> {
  if (transaction.facts.lane) await lock(transaction, { name });
}

// Two names whose hashes are equal wait for each other, which is harmless.
const lock = statement<{ name: string }, unknown>((db, parameter) =>
  db.selectNoFrom(sql`pg_advisory_xact_lock(hashtextextended(${parameter("name")}, 0))`.as("locked")),
);
