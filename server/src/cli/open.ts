import type { Command } from "commander";
import type { DatabaseOptions } from "../maintenance";
import type { ServerContext } from "../start";
import { withSettings } from "./settingOptions";
import { DATABASE_SETTINGS, MASTER_KEY_SETTING } from "./settings";

export interface CoreCommandOptions extends DatabaseOptions {
  readonly masterKeyFile?: string;
}

/** Gives a command the options and the context of an existing database and its keys. */
export function withCore<Options extends CoreCommandOptions, Arguments extends unknown[]>(
  command: Command,
  run: (context: ServerContext, options: Options, ...given: Arguments) => Promise<void>,
): Command {
  withSettings(command, [...DATABASE_SETTINGS, MASTER_KEY_SETTING]);
  return command.action(async (...given: unknown[]) => {
    const options = given.at(-2) as Options;
    // Loaded here, because all other commands start sooner without the modules of a server.
    const { openContext }: typeof import("../start") = require("../start");
    const context = await openContext({
      ...options,
      existing: true,
      databasePool: 2,
      masterKey: process.env.TUNNELPLANE_MASTER_KEY,
    });
    try {
      await run(context, options, ...(given.slice(0, -2) as Arguments));
    } finally {
      await context.store.close();
    }
  });
}
