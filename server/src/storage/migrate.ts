import { present } from "@tunnelplane/sdk/contract";
import type { Kysely } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import * as initial from "./migrations/001_initial";
import * as sealedSecret from "./migrations/002_sealed_secret";
import * as trust from "./migrations/003_trust";
import * as deliveries from "./migrations/004_deliveries";
import * as audit from "./migrations/005_audit";
import * as gateway from "./migrations/006_gateway";
import * as changesets from "./migrations/007_changesets";
import * as inbox from "./migrations/008_inbox";
import * as gatewayPorts from "./migrations/009_gateway_ports";
import * as guaranteeAddress from "./migrations/010_guarantee_address";
import * as keyUse from "./migrations/011_key_use";
import * as exchangedKey from "./migrations/012_exchanged_key";
import * as ending from "./migrations/013_ending";
import * as project from "./migrations/014_project";
import * as projectOfEvents from "./migrations/015_project_of_events";
import * as projectOfNames from "./migrations/016_project_of_names";
import * as signIn from "./migrations/019_sign_in";
import * as login from "./migrations/020_login";
import * as resourceName from "./migrations/021_resource_name";
import * as tunnelSession from "./migrations/023_tunnel_session";
import * as acme from "./migrations/024_acme";
import * as acmeTurns from "./migrations/025_acme_turns";
import * as fewerTrees from "./migrations/026_fewer_trees";
import * as keyOrigin from "./migrations/027_key_origin";
import * as replacement from "./migrations/030_replacement";
import * as guaranteeState from "./migrations/031_guarantee_state";
import type { Database } from "./schema";

/** Numbered, applied in order, never changed once released. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  "001_initial": initial,
  "002_sealed_secret": sealedSecret,
  "003_trust": trust,
  "004_deliveries": deliveries,
  "005_audit": audit,
  "006_gateway": gateway,
  "007_changesets": changesets,
  "008_inbox": inbox,
  "009_gateway_ports": gatewayPorts,
  "010_guarantee_address": guaranteeAddress,
  "011_key_use": keyUse,
  "012_exchanged_key": exchangedKey,
  "013_ending": ending,
  "014_project": project,
  "015_project_of_events": projectOfEvents,
  "016_project_of_names": projectOfNames,
  "019_sign_in": signIn,
  "020_login": login,
  "021_resource_name": resourceName,
  "023_tunnel_session": tunnelSession,
  "024_acme": acme,
  "025_acme_turns": acmeTurns,
  "026_fewer_trees": fewerTrees,
  "027_key_origin": keyOrigin,
  "030_replacement": replacement,
  "031_guarantee_state": guaranteeState,
};

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

/** Refuses a database that is not at this version, and changes nothing. @param place its name for people */
export async function requireMigrated(db: Kysely<Database>, place: string): Promise<void> {
  const schema = await schemaOf(db);
  const latest = present(Object.keys(MIGRATIONS).sort().at(-1));
  if (schema === undefined)
    throw new Error(
      `${place} holds no database of tunnelplane. Nothing was made; "tunnelplane serve" makes one`,
    );
  if (!(schema in MIGRATIONS)) throw new NewerSchema(place, schema);
  if (schema !== latest) {
    throw new Error(
      `${place} has schema ${schema}, and this version works with ${latest}: "tunnelplane serve" of this version brings it there. Nothing was changed`,
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
