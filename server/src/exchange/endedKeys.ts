import type { Transaction } from "../storage";

/** A key that ended is forgotten a day later: until then it is answered that it ended, and when. */
const KEPT_MS = 24 * 60 * 60_000;

/** Removes exchanged keys that ended a day ago. */
export const forgetEndedKeys = (transaction: Transaction): Promise<unknown> =>
  transaction
    .deleteFrom("exchanged_key")
    .where("expires_at", "<", new Date(Date.now() - KEPT_MS).toISOString())
    .execute();
