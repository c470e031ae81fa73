import { messageOf } from "@tunnelplane/sdk/contract";
import { visible } from "@tunnelplane/sdk/node";
import type { Properties } from "../core";
import { partialFailureIn } from "../operation";

const OURS = "tunnelplane";

/**
 * An error in the form that Pulumi's host for dynamic providers prints. For refresh, diff, check and delete
 * the host prints `${error}: ${error.stack}` on a line of its own, before the message. So `toString` and
 * `stack` make a readable line.
 */
class Failure extends Error {
  /** Of a step that was carried out in part: what the engine records, in the words of Pulumi's host. */
  readonly id?: string;
  readonly properties?: Properties;
  readonly reasons?: readonly string[];

  constructor(
    message: string,
    step: string,
    partly?: { readonly id: string; readonly properties: Properties },
  ) {
    super(visible(message));
    this.stack = `${step} failed and left the state as it was; the reason is below`;
    if (!partly) return;
    this.id = partly.id;
    this.properties = partly.properties;
    this.reasons = [this.message];
  }

  override toString(): string {
    return OURS;
  }
}

/**
 * Runs a step whose errors the host prints.
 *
 * @param own the properties of the host itself, which the state needs where only a part of the step was done
 */
export async function asStep<T>(step: string, run: () => T | Promise<T>, own: Properties = {}): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Failure) throw error;
    const partly = partialFailureIn(error)?.object;
    throw new Failure(
      messageOf(error),
      step,
      partly && { id: partly.id, properties: { ...partly.outputs, ...own } },
    );
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
