import type { Command } from "commander";
import { openCore } from "../context";
import type { Core } from "../resources/transaction";
import type { DatabaseOptions } from "../storage/open";
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
    const core = await openCore({ ...options, existing: true, databasePool: 2, masterKey: process.env.TUNNELPLANE_MASTER_KEY });
    try {
      await run(core, options, ...(given.slice(0, -2) as Arguments));
    } finally {
      await core.store.close();
    }
  });
}
