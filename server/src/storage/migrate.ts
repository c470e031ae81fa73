import type { Kysely } from "kysely";
import { Migrator } from "kysely/migration";
import * as initial from "./migrations/001_initial";
import * as sealedSecret from "./migrations/002_sealed_secret";
import * as trust from "./migrations/003_trust";
import * as deliveries from "./migrations/004_deliveries";
import type { Database } from "./schema";

/** Numbered, applied in order, never changed once released. */
const MIGRATIONS = { "001_initial": initial, "002_sealed_secret": sealedSecret, "003_trust": trust, "004_deliveries": deliveries };

/** Brings a database to this version's tables. Safe when several servers start at once. */
export async function migrate(db: Kysely<Database>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  if (error) throw error;
}
