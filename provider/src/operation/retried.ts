import { setTimeout as sleep } from "node:timers/promises";

const FIRST_PAUSE_MS = 100;

/**
 * Runs something, again after an error that may pass by itself. The pauses begin with 100 ms and double.
 *
 * @param attempts how often it is run at most; after the last one, its error is thrown
 */
export async function retried<T>(
  attempts: number,
  run: () => Promise<T>,
  isTemporary: (error: unknown) => boolean,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === attempts || !isTemporary(error)) throw error;
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}
