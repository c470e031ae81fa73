import type { Command } from "commander";
import type { Core } from "../changes";
import { openCore } from "../core";
import { type DatabaseOptions, databaseName, isMissing } from "../storage/open";
import { databaseOptions, masterKeyOption } from "./options";

export interface CoreCommandOptions extends DatabaseOptions {
  readonly masterKeyFile?: string;
}

/** Makes a command one that works on an existing database whose secrets it can open. */
export function withCore<Options extends CoreCommandOptions, Arguments extends unknown[]>(
  command: Command,
  run: (core: Core, options: Options, ...given: Arguments) => Promise<void>,
): Command {
  for (const option of [...databaseOptions(), masterKeyOption()]) command.addOption(option);
  return command.action(async (...given: unknown[]) => {
    const options = given.at(-2) as Options;
    if (isMissing(options)) throw new Error(`There is no database in ${databaseName(options)}; name its folder with --data`);
    const core = await openCore({ ...options, databasePool: 2, masterKey: process.env.TUNNELPLANE_MASTER_KEY });
    try {
      await run(core, options, ...(given.slice(0, -2) as Arguments));
    } finally {
      await core.store.close();
    }
  });
}
