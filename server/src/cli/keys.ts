import { Command } from "commander";
import { recoverAdminKey } from "../auth";
import { addMasterKey, rotate } from "../rotation";
import { createMasterKey, findMasterKey } from "../secrets";
import { withCore } from "./open";

/** `tunnelplane keys …` */
export function keysCommand(): Command {
  const keys = new Command("keys").description(
    "Manage the keys that secrets are sealed under, and replace an admin's API key that was lost",
  );
  keys.addCommand(
    withCore(
      new Command("rotate").description("Seal all secrets under a new data key, while servers serve, and forget the old one"),
      async (context) => {
        const sealed = await rotate(context);
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
      async (context, _options, file: string) => {
        await addMasterKey(context, findMasterKey({ file }) ?? createMasterKey(file));
        console.log(
          `Start the servers with --master-key-file ${file}, then run "tunnelplane keys rotate --master-key-file ${file}": after that the old master key opens nothing.`,
        );
      },
    ),
  );
  keys.addCommand(
    withCore(
      new Command("recover")
        .description("Make a new API key for the admin, where every admin's key was lost; shown this once and never again")
        .addHelpText(
          "after",
          "\nRun it on the server's machine, while servers serve or not: it needs the database and the master key. The audit log records it.\nOnly the key is written to standard output. Other keys stay as they are: delete those that were lost.",
        ),
      async (context) => {
        const { id, key } = await recoverAdminKey(context);
        console.error("The admin's new API key, shown this once and never again:");
        console.log(key);
        console.error(
          `It is ${id}; the audit log tells that it was made here. See what other keys there are with GET /api_keys, and delete those that were lost.`,
        );
      },
    ),
  );
  return keys;
}
