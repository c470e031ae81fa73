import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "@tunnelplane/sdk";
import { ERRORS } from "@tunnelplane/sdk/contract";

/** Pauses before a deletion is tried again, in milliseconds. */
const PAUSES_MS = [100, 200, 400, 800, 1600];

/**
 * Deletes an object; if it is in use, tries again for some 3 s. Where a resource ends with another one
 * (`deletedWith`), the engine takes it for deleted before the server has deleted either, and goes on with
 * what the two use.
 */
export async function onceUnused(remove: () => Promise<void>): Promise<void> {
  for (const pause of PAUSES_MS) {
    try {
      return await remove();
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== ERRORS.in_use.code) throw error;
      await sleep(pause);
    }
  }
  return remove();
}
