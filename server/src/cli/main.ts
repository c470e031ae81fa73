#!/usr/bin/env node
import { guardOutput } from "@tunnelplane/sdk/node";
import { type Command, CommanderError } from "commander";
import { exitCodeOf, SaysNo } from "./failures";
import { program } from "./program";

/** Has commander throw, so that all ends are in one place. */
function throwing(command: Command): Command {
  command.exitOverride();
  for (const inner of command.commands) throwing(inner);
  return command;
}

guardOutput();
throwing(program())
  .parseAsync()
  .catch((error: Error & { code?: string }) => {
    // Commander has printed its own errors already, and those who say no what they found.
    if (!(error instanceof CommanderError || error instanceof SaysNo)) {
      const cure =
        error.code === "EADDRINUSE"
          ? "; another server listens there: stop it, or choose another with --listen"
          : "";
      console.error(`tunnelplane: ${error.message}${cure}`);
    }
    process.exit(exitCodeOf(error));
  });
