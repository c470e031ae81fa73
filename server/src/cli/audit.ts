import { counted } from "@tunnelplane/sdk/contract";
import { Command, InvalidArgumentError, Option } from "commander";
import type { Noted, Verified } from "../maintenance";
import { anchorInBackup, anchorOf, anchorsInLog } from "./anchors";
import { withExamples } from "./examples";
import { type CoreCommandOptions, withCore } from "./open";

interface VerifyOptions extends CoreCommandOptions {
  readonly expect?: Noted;
  readonly backup?: string;
  readonly log?: string;
  readonly with?: readonly string[];
}

interface ArchiveOptions extends CoreCommandOptions {
  readonly before: string;
  readonly out: string;
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
    )
    .addOption(
      new Option(
        "--with <file>",
        "rows that audit archive wrote into a file, to be verified with the rest; may be repeated",
      ).argParser((file: string, before: readonly string[] = []) => [...before, file]),
    );
  withExamples(verify, [
    "tunnelplane audit verify --backup yesterday.backup",
    "whole, and goes on from yesterday",
  ]);
  audit.addCommand(
    withCore<VerifyOptions, []>(verify, async (context, options) => {
      const { expect, backup, log, with: files } = options;
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
      const found = await inSnapshot(options, (snapshot) => verifyAudit(snapshot, context, noted, files));
      if (found.faults.length > 0) {
        throw new Error(
          `the audit log was tampered with, or damaged:\n${found.faults.map((fault) => `  - ${fault}`).join("\n")}`,
        );
      }
      console.log(wordsOf(found, anchorText(found.head)));
    }),
  );
  audit.addCommand(archiveCommand());
  return withExamples(audit, ["tunnelplane audit verify", "was anything changed without the server?"]);
}

function archiveCommand(): Command {
  const archive = new Command("archive")
    .description(
      "Move old rows of the audit log into a file (online); the log keeps one row that names the last of them",
    )
    .addOption(
      new Option("--before <date>", "rows from before this date, or time, in UTC: 2026-01-01")
        .argParser(timeOf)
        .makeOptionMandatory(),
    )
    .addOption(new Option("--out <file>", "a new file, which only its owner can read").makeOptionMandatory());
  withExamples(archive, [
    "tunnelplane audit archive --before 2026-01-01 --out audit-2025.jsonl",
    "last year's rows",
  ]);
  return withCore<ArchiveOptions, []>(archive, async (context, { before, out }) => {
    const { anchorText, archiveAudit }: typeof import("../maintenance") = require("../maintenance");
    const archived = await archiveAudit(context, before, out);
    if (!archived) return console.log(`Nothing was written: the log has no rows from before ${before}.`);
    console.log(
      `Moved ${counted(archived.rows, "row")} to ${out}, up to ${anchorText(archived.last)}. Keep the file: audit verify --with ${out} proves the whole log.`,
    );
  });
}

/** A date or a time, as rows have it. */
function timeOf(text: string): string {
  const time = /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError('Expected a date or a time in UTC, for example "2026-01-01".');
}

const wordsOf = (
  { rows, waiting, prunedThrough, archivedThrough, uncompared, unproved }: Verified,
  end: string,
): string =>
  [
    `The audit log is whole: ${counted(rows, "row")}${archivedThrough > 0 ? ` after row ${archivedThrough}, where archives end` : ""}.`,
    ...(waiting > 0
      ? [
          `${waiting} more ${waiting === 1 ? "row waits" : "rows wait"} in the inbox as their writers left them; a running server moves them here.`,
        ]
      : []),
    "Objects and events match it.",
    ...(uncompared > 0
      ? [
          `${uncompared} of them were not compared, because their rows are in archives: name these with --with.`,
        ]
      : []),
    ...unproved.map(
      ({ sequence, source }) =>
        `Row ${sequence}, which ${source} notes, is in an archive: name that with --with to compare it.`,
    ),
    ...(prunedThrough > 0
      ? [`Events up to row ${prunedThrough} are not all there, because old ones are pruned.`]
      : []),
    `Note its end elsewhere, to prove later that the log up to here is unchanged: ${end}`,
  ].join("\n");
