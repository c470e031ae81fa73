import { existsSync } from "node:fs";
import { counted } from "@tunnelplane/sdk/contract";
import { Command } from "commander";
import type { Counts, DatabaseOptions } from "../maintenance";
import { VERSION } from "../util";
import { withExamples } from "./examples";
import { withSettings } from "./settingOptions";
import { DATABASE_SETTINGS } from "./settings";

export function backupCommand(): Command {
  const command = new Command("backup")
    .description("Back up the database (online)")
    .argument("<file>", '"-" for standard output')
    .option("--force", "replace the file if it exists")
    .addHelpText(
      "after",
      "\nThe file restores into either kind of database. The master key is not in it: keep a copy of that elsewhere.",
    );
  withSettings(command, DATABASE_SETTINGS);
  command.action(async (file: string, options: DatabaseOptions & { force?: true }) => {
    const { anchorText, backUp, STDOUT }: typeof import("../maintenance") = require("../maintenance");
    if (file !== STDOUT && !options.force && existsSync(file))
      throw new Error(`${file} exists; name another file, or replace it with --force`);
    if (file === STDOUT && process.stdout.isTTY)
      throw new Error("A backup is binary; name a file, or redirect the output to one");
    await requireKeys(options);
    const { counts, head } = await backUp(options, file, VERSION);
    // Standard output may be the backup itself.
    console.error(`Backed up ${wordsOf(counts)}`);
    if (head)
      console.error(
        `The audit log ends with ${anchorText(head)}: "tunnelplane audit verify --backup" finds it in the file`,
      );
    console.error(
      "The backup holds hashes of keys, and sealed secrets. The master key that opens these is not in it: keep a copy of it elsewhere.",
    );
  });
  return withExamples(
    command,
    ["tunnelplane backup tunnels-$(date +%F).backup", "the embedded database in ./.tunnelplane"],
    ["tunnelplane backup - | age -r age1… > tunnels.age", "through another program"],
  );
}

export function restoreCommand(): Command {
  const command = new Command("restore")
    .description("Restore a backup into an empty database")
    .argument("<file>", "the backup")
    .addHelpText("after", "\nServers on the restored database need the same master key as before.");
  withSettings(command, DATABASE_SETTINGS);
  command.action(async (file: string, options: DatabaseOptions) => {
    const { restore, STDOUT }: typeof import("../maintenance") = require("../maintenance");
    if (file === STDOUT)
      throw new Error("A restore reads the backup twice, first to check it; save it to a file and name that");
    console.error(`Restored ${wordsOf(await restore(options, file))}`);
  });
  return withExamples(command, ["tunnelplane restore tunnels.backup --data ./restored", "into a new folder"]);
}

/** A backup without keys is useless, and might replace a good one. */
async function requireKeys(database: DatabaseOptions): Promise<void> {
  const {
    databaseName,
    inSnapshot,
    isBegun,
    schemaOf,
  }: typeof import("../maintenance") = require("../maintenance");
  await inSnapshot(database, async (reader) => {
    // One without tables is refused by the backup itself.
    return (await schemaOf(reader)) !== undefined && isBegun({ reader, label: databaseName(database) });
  });
}

const wordsOf = (counts: Counts): string =>
  `${counted(
    Object.values(counts).reduce((sum, count) => sum + count, 0),
    "row",
  )} of ${counted(Object.keys(counts).length, "table")}`;
