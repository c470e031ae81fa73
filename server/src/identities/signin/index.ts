/** Lets people sign in at an identity provider. Other rooms import from here only. */

import type { Logger } from "pino";
import type { SignIn, SignInContext } from "./signIn";
import type { SignInSettings } from "./signInSettings";

export { ATTEMPT_MS, takeAttempt } from "./attempt";
export { ProviderAway, SignInRefused } from "./refused";
export type { SignIn } from "./signIn";
export type { SignInSettings } from "./signInSettings";

/** Loads what speaks with identity providers when the first person signs in, not at each start. */
export function openSignIn(
  context: SignInContext,
  settings: SignInSettings,
  logger: Pick<Logger, "warn" | "info">,
): SignIn {
  const room: typeof import("./signIn") = require("./signIn");
  return new room.SignIn(context, settings, logger);
}
