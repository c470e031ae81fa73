import { Command } from "commander";
import { createMasterKey, findMasterKey } from "../sealing/masterKey";
import { addMasterKey, rotate } from "../sealing/rotate";
import { withCore } from "./core";

/** `tunnelplane keys …` */
export function keysCommand(): Command {
  const keys = new Command("keys").description("Manage the keys that secrets are sealed under");
  keys.addCommand(
    withCore(
      new Command("rotate").description("Seal all secrets under a new data key, while servers serve, and forget the old one"),
      async (core) => {
        const sealed = await rotate(core);
        console.log(
          `Sealed ${sealed} ${sealed === 1 ? "row" : "rows"} under a new data key. Backups from before still need the old keys that are in them.`,
        );
      },
    ),
  );
  keys.addCommand(
    withCore(
      new Command("add-master-key")
        .description("Let servers open the secrets with another master key too; made where the file does not exist")
        .argument("<file>", "the file of the other master key"),
      async (core, _options, file: string) => {
        await addMasterKey(core, findMasterKey({ file }) ?? createMasterKey(file));
        console.log(
          `Start the servers with --master-key-file ${file}, then run "tunnelplane keys rotate --master-key-file ${file}": after that the old master key opens nothing.`,
        );
      },
    ),
  );
  return keys;
}
