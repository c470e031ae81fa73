import { messageOf } from "@tunnelplane/sdk/contract";
import { visible } from "@tunnelplane/sdk/node";

const OURS = "tunnelplane";

/**
 * An error in the form that Pulumi's host for dynamic providers prints. For refresh, diff, check and delete
 * the host prints `${error}: ${error.stack}` on a line of its own, before the message. So `toString` and
 * `stack` make a readable line.
 */
class Failure extends Error {
  constructor(message: string, step: string) {
    super(visible(message));
    this.stack = `${step} failed and left the state as it was; the reason is below`;
  }

  override toString(): string {
    return OURS;
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

/**
 * Has the host print the line of a failed step once, and not for each resource again: every resource has its
 * own message.
 */
function printOnce(): void {
  const { error } = console;
  const printed = new Set<unknown>();
  console.error = (...args: unknown[]) => {
    const [line] = args;
    if (printed.has(line)) return;
    if (typeof line === "string" && line.startsWith(`${OURS}: `)) printed.add(line);
    error.apply(console, args);
  };
}

printOnce();
