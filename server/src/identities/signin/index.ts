/** Lets people sign in at an identity provider. Other rooms import from here only. */

import type { Logger } from "pino";
import type { SignInSettings } from "./settings";
import type { SignIn, SignInContext } from "./signIn";

export { ATTEMPT_MS } from "./attempt";
export { ProviderAway, SignInRefused } from "./refused";
export type { SignInSettings } from "./settings";
export type { SignIn } from "./signIn";

/** Loads what speaks with identity providers when the first person signs in, not at each start. */
export function openSignIn(
  context: SignInContext,
  settings: SignInSettings,
  logger: Pick<Logger, "warn" | "info">,
): SignIn {
  const room: typeof import("./signIn") = require("./signIn");
  return new room.SignIn(context, settings, logger);
}
