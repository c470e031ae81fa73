import { counted } from "@tunnelplane/sdk/contract";
import { Command } from "commander";
import { withExamples } from "./examples";
import { withCore } from "./open";

/** `tunnelplane keys …` */
export function keysCommand(): Command {
  const keys = new Command("keys").description(
    "Manage the keys that seal secrets, and replace a lost admin's API key",
  );
  for (const command of [rotateCommand(), addMasterKeyCommand(), recoverCommand()]) keys.addCommand(command);
  return withExamples(
    keys,
    ["tunnelplane keys rotate", "a new data key"],
    ["tunnelplane keys recover", "a new API key for the admin"],
  );
}

const rotateCommand = () =>
  withCore(
    withExamples(
      new Command("rotate").description(
        "Seal all secrets under a new data key and remove the old one (online)",
      ),
      ["tunnelplane keys rotate", "while servers serve"],
    ),
    async (context) => {
      const { rotate }: typeof import("../maintenance") = require("../maintenance");
      const sealed = await rotate(context);
      console.log(
        `Sealed ${counted(sealed, "row")} under a new data key. Older backups hold the old data key and need the master key of their time.`,
      );
    },
  );

const addMasterKeyCommand = () =>
  withCore(
    withExamples(
      new Command("add-master-key")
        .description("Allow another master key to open the secrets too")
        .argument("<file>", "the file of the other master key; made if it does not exist"),
      [
        "tunnelplane keys add-master-key new-master.key",
        "the first of three steps that replace a master key",
      ],
    ),
    async (context, _options, file: string) => {
      const {
        addMasterKey,
        createMasterKey,
        findMasterKey,
      }: typeof import("../maintenance") = require("../maintenance");
      await addMasterKey(context, findMasterKey({ file }) ?? createMasterKey(file));
      console.log(
        `Start the servers with --master-key-file ${file}, then run "tunnelplane keys rotate --master-key-file ${file}": after that the old master key opens nothing.`,
      );
    },
  );

const recoverCommand = () =>
  withCore(
    withExamples(
      new Command("recover")
        .description(
          "Make a new API key for the admin if all admins' keys were lost; it is shown this once and never again",
        )
        .addHelpText(
          "after",
          "\nRun it on the server's machine, with or without running servers: it needs the database and the master key. The audit log records it.\nOnly the key goes to standard output. Other keys stay valid: delete the lost ones.",
        ),
      ["tunnelplane keys recover --data /var/lib/tunnelplane", "on the server's machine"],
    ),
    async (context) => {
      const { recoverAdminKey }: typeof import("../maintenance") = require("../maintenance");
      const { id, key } = await recoverAdminKey(context);
      console.error("The admin's new API key, shown this once and never again:");
      console.log(key);
      console.error(
        `Its id is ${id}; the audit log records it. List the other keys with GET /api_keys, and delete the lost ones.`,
      );
    },
  );
