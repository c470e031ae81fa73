import { messageOf } from "@tunnelplane/sdk/contract";
import { type Command, CommanderError } from "commander";
import { cureOf } from "./cures";
import { exitCodeOf, NegativeAnswer } from "./failures";
import { program } from "./program";

/** Has commander throw, so that all ends are in one place. */
function throwing(command: Command): Command {
  command.exitOverride();
  for (const inner of command.commands) throwing(inner);
  return command;
}

/** Runs what these arguments name, prints its error if it fails, and returns its exit code. */
export async function run(args: readonly string[], command = program(undefined, args[0])): Promise<number> {
  try {
    await throwing(command).parseAsync(args, { from: "user" });
    return 0;
  } catch (error) {
    // Commander has printed its own errors already, and a command that says no has printed why.
    if (!(error instanceof CommanderError || error instanceof NegativeAnswer)) {
      console.error(`tunnelplane: ${messageOf(error)}${cureOf(error)}`);
    }
    return exitCodeOf(error);
  }
}
