import { counted } from "@tunnelplane/sdk/contract";
import { Command, Option } from "commander";
import type { Noted, Verified } from "../maintenance";
import { anchorInBackup, anchorOf, anchorsInLog } from "./anchors";
import { withExamples } from "./examples";
import { type CoreCommandOptions, withCore } from "./open";

interface VerifyOptions extends CoreCommandOptions {
  readonly expect?: Noted;
  readonly backup?: string;
  readonly log?: string;
}

/** `tunnelplane audit …` */
export function auditCommand(): Command {
  const audit = new Command("audit").description("Examine the audit log");
  const verify = new Command("verify")
    .description(
      "Verify the audit log, and objects and events against it (online); exit code 1 if anything was changed, removed or moved",
    )
    .addOption(
      new Option(
        "--expect <sequence:hash>",
        "a row that must still exist, as an earlier run or a backup printed it, or the JSON from GET /audit_head",
      ).argParser(anchorOf),
    )
    .addOption(
      new Option("--backup <file>", "a backup; the head that it holds must still be in the audit log"),
    )
    .addOption(
      new Option("--log <file>", "a server's log; every head that it notes must still be in the audit log"),
    );
  withExamples(verify, [
    "tunnelplane audit verify --backup yesterday.backup",
    "whole, and goes on from yesterday",
  ]);
  audit.addCommand(
    withCore<VerifyOptions, []>(verify, async (context, options) => {
      const { expect, backup, log } = options;
      const noted = [
        ...(expect ? [expect] : []),
        ...(backup === undefined ? [] : [await anchorInBackup(backup)]),
        ...(log === undefined ? [] : await anchorsInLog(log)),
      ];
      const {
        anchorText,
        inSnapshot,
        verifyAudit,
      }: typeof import("../maintenance") = require("../maintenance");
      const found = await inSnapshot(options, (snapshot) => verifyAudit(snapshot, context, noted));
      if (found.faults.length > 0) {
        throw new Error(
          `the audit log was tampered with, or damaged:\n${found.faults.map((fault) => `  - ${fault}`).join("\n")}`,
        );
      }
      console.log(wordsOf(found, anchorText(found.head)));
    }),
  );
  return withExamples(audit, ["tunnelplane audit verify", "was anything changed without the server?"]);
}

const wordsOf = ({ rows, waiting, prunedThrough }: Verified, end: string): string =>
  [
    `The audit log is whole: ${counted(rows, "row")}.`,
    ...(waiting > 0
      ? [
          `${waiting} more ${waiting === 1 ? "row waits" : "rows wait"} in the inbox as their writers left them; a running server moves them here.`,
        ]
      : []),
    "Objects and events match it.",
    ...(prunedThrough > 0
      ? [`Events up to row ${prunedThrough} are not all there, because old ones are pruned.`]
      : []),
    `Note its end elsewhere, to prove later that the log up to here is unchanged: ${end}`,
  ].join("\n");
