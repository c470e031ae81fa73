import { messageOf } from "@tunnelplane/sdk/contract";
import { visible } from "@tunnelplane/sdk/node";

/**
 * An error in the form that Pulumi's host for dynamic providers prints. For refresh and delete the host prints
 * `${error}: ${error.stack}` on a line of its own, before the message. So `toString` and `stack` make a readable line.
 */
class Failure extends Error {
  constructor(message: string, step: string) {
    super(visible(message));
    this.stack = `${step} failed and left the state as it was; the reason is below`;
  }

  override toString(): string {
    return "tunnelplane";
  }
}

/** Runs a step whose errors the host prints. */
export async function asStep<T>(step: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(messageOf(error), step);
  }
}
