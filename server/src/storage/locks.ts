import { type Kysely, sql } from "kysely";
import { Transaction } from "./direct";
import type { Database } from "./schema";
import { effect, statement } from "./statement";

/**
 * Until the transaction ends, no other one gets a lock of this name, or only such as share it. On SQLite
 * there is one writer at a time anyway.
 */
export async function lockName(
  db: Kysely<Database>,
  name: string,
  how: "exclusive" | "shared" = "exclusive",
): Promise<void> {
  if (!(db instanceof Transaction) || !db.facts.lane) return;
  await (how === "shared" ? share : lock)(db, { name });
}

// Two names whose hashes are equal wait for each other, which is harmless.
const lock = statement<{ name: string }, unknown>((db, parameter) =>
  db.selectNoFrom(sql`pg_advisory_xact_lock(hashtextextended(${parameter("name")}, 0))`.as("locked")),
);
const share = effect<{ name: string }>((db, parameter) =>
  db.selectNoFrom(sql`pg_advisory_xact_lock_shared(hashtextextended(${parameter("name")}, 0))`.as("locked")),
);
