/**
 * Exchanges identity tokens, which issuers of workloads sign, for API keys that soon end. Other rooms import
 * from here only.
 */

import type { ExchangeContext, ExchangeOptions, TokenExchange } from "./exchange";

export { forgetEndedKeys } from "./endedKeys";
export type { SentToken, TokenExchange } from "./exchange";
export { IssuerAway, TokenRefused } from "./refused";

/** Loads what checks tokens when the first one comes: at each start it would take a tenth of a second. */
export function openExchange(context: ExchangeContext, options: ExchangeOptions): TokenExchange {
  const room: typeof import("./exchange") = require("./exchange");
  return new room.TokenExchange(context, options);
}
