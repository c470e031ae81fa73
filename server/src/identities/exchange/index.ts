/**
 * Exchanges identity tokens, which issuers of workloads sign, for API keys that soon end. Other rooms import
 * from here only.
 */

import type { Kysely } from "kysely";
import type { Database } from "../../storage";
import type { ExchangeContext, ExchangeOptions, TokenExchange } from "./exchange";

/** A key that ended is forgotten a day later: until then it is answered that it ended, and when. */
const KEPT_MS = 24 * 60 * 60_000;

/** Removes exchanged keys that ended a day ago. */
export const forgetEndedKeys = (db: Kysely<Database>): Promise<unknown> =>
  db
    .deleteFrom("exchanged_key")
    .where("expires_at", "<", new Date(Date.now() - KEPT_MS).toISOString())
    .execute();

export type { SentToken, TokenExchange } from "./exchange";
export { IssuerAway, TokenRefused } from "./refused";

/** Loads what checks tokens when the first one comes: at each start it would take a tenth of a second. */
export function openExchange(context: ExchangeContext, options: ExchangeOptions): TokenExchange {
  const room: typeof import("./exchange") = require("./exchange");
  return new room.TokenExchange(context, options);
}
