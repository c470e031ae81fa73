import { ApiError } from "@tunnelplane/sdk";
import { ERRORS } from "@tunnelplane/sdk/contract";
import { retried } from "./stateBackend";

/** With their pauses, these take some 3 s. */
const ATTEMPTS = 6;

/**
 * Deletes an object; if it is in use, tries again for some 3 s. Where a resource ends with another one
 * (`deletedWith`), the engine takes it for deleted before the server has deleted either, and goes on with
 * what the two use.
 */
export const onceUnused = (remove: () => Promise<void>): Promise<void> =>
  retried(ATTEMPTS, remove, (error) => error instanceof ApiError && error.code === ERRORS.in_use.code);
