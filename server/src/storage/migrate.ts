import { present } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import * as initial from "./migrations/001_initial";
import type { Database } from "./schema";

/** Numbered, applied in order, never changed once released: until 0.1.0, changes are made in the first. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = { "001_initial": initial };

export interface MigrateOptions {
  /** The last migration to apply. Default: the newest. */
  readonly to?: string;
  /** Default: the migrations of this version. */
  readonly migrations?: Readonly<Record<string, Migration>>;
}

/**
 * Migrates a database to this version, or fails and leaves it unchanged. Safe when several servers start at
 * once. Refuses a database of a newer version.
 */
export async function migrate(
  db: Kysely<Database>,
  { to, migrations = MIGRATIONS }: MigrateOptions = {},
): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = to === undefined ? await migrator.migrateToLatest() : await migrator.migrateTo(to);
  if (error === undefined) return;
  const schema = await schemaOf(db);
  if (schema !== undefined && !(schema in migrations))
    throw new NewerSchema("The database", schema, migrations);
  throw error;
}

/** Refuses a database that is not at this version, and changes nothing. @param label its name for people */
export async function requireMigrated(db: Kysely<Database>, label: string): Promise<void> {
  const schema = await schemaOf(db);
  const latest = present(Object.keys(MIGRATIONS).sort().at(-1));
  if (schema === undefined)
    throw new Error(
      `${label} holds no database of tunnelplane. Nothing was made; "tunnelplane serve" makes one`,
    );
  if (!(schema in MIGRATIONS)) throw new NewerSchema(label, schema);
  if (schema !== latest) {
    throw new Error(
      `${label} has schema ${schema}, and this version works with ${latest}: "tunnelplane serve" of this version brings it there. Nothing was changed`,
    );
  }
}

/** The last applied migration of a database; undefined for a new one. */
export async function schemaOf(db: Kysely<Database>): Promise<string | undefined> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === "kysely_migration")) return undefined;
  // Kysely keeps this table itself, so our types of the database lack it.
  const bookkeeping = db as unknown as Kysely<{ kysely_migration: { name: string } }>;
  const rows = await bookkeeping.selectFrom("kysely_migration").select("name").execute();
  return rows
    .map(({ name }) => name)
    .sort()
    .at(-1);
}

/** A newer version made this database or backup, so this version does not understand its tables. */
export class NewerSchema extends Error {
  constructor(what: string, schema: string, migrations = MIGRATIONS) {
    super(
      `${what} has schema ${schema}, but this version knows schemas up to ${Object.keys(migrations).sort().at(-1)} only. ` +
        "A newer tunnelplane made it: use that version or a later one. Nothing was changed",
    );
  }
}
