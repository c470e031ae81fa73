import { Command, Option } from "commander";
import { anchorText, type Noted, type Verified, verifyAudit } from "../journal";
import { inSnapshot } from "../storage";
import { anchorInBackup, anchorOf, anchorsInLog } from "./anchors";
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
      "Recompute the audit log and compare objects and events with it, while servers serve; exit code 1 when anything was changed, removed or moved",
    )
    .addOption(
      new Option(
        "--expect <sequence:hash>",
        "a row that must still be there: what an earlier run or a backup printed, or the JSON that GET /audit_head answered",
      ).argParser(anchorOf),
    )
    .addOption(new Option("--backup <file>", "a backup; the row that was the last when it was made must still be there"))
    .addOption(new Option("--log <file>", "what servers logged; every row that it notes as the last must still be there"));
  audit.addCommand(
    withCore<VerifyOptions, []>(verify, async (context, options) => {
      const { expect, backup, log } = options;
      const noted = [
        ...(expect ? [expect] : []),
        ...(backup === undefined ? [] : [await anchorInBackup(backup)]),
        ...(log === undefined ? [] : await anchorsInLog(log)),
      ];
      const found = await inSnapshot(options, (snapshot) => verifyAudit(snapshot, context, noted));
      if (found.faults.length > 0) {
        throw new Error(`the audit log was tampered with, or damaged:\n${found.faults.map((fault) => `  - ${fault}`).join("\n")}`);
      }
      console.log(wordsOf(found));
    }),
  );
  return audit;
}

const wordsOf = ({ rows, head, baseline, unknown }: Verified): string =>
  [
    `The audit log is whole: ${rows} rows.`,
    ...(unknown === undefined
      ? ["Objects and events were not compared with it: no server of this version has served this database yet."]
      : ["Objects and events are as it says."]),
    ...(baseline
      ? [
          `What is older than row ${baseline.sequence} was recorded there as it was on ${baseline.created_at}; nobody can tell whether it was changed before.`,
        ]
      : []),
    ...(unknown ? [`Nothing is known of ${unknown} that a server of an older version wrote last.`] : []),
    `Note its end elsewhere, to prove later that nothing up to here was changed: ${anchorText(head)}`,
  ].join("\n");
