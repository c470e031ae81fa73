import type { Kysely } from "kysely";
import type { Database } from "../../storage";

/** A key that ended is forgotten a day later: until then it is answered that it ended, and when. */
const KEPT_MS = 24 * 60 * 60_000;

/** Removes exchanged keys that ended a day ago. */
export const forgetEndedKeys = (db: Kysely<Database>): Promise<unknown> =>
  db
    .deleteFrom("exchanged_key")
    .where("expires_at", "<", new Date(Date.now() - KEPT_MS).toISOString())
    .execute();
