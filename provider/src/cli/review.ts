import { isObject } from "@tunnelplane/sdk/contract";
import { Command, Option } from "commander";
import type { ServerOptions } from "../operation/askServer";
import { FORMATS, type Format, failing, reviewInFull, write } from "../review";
import { EXPECTED as EXPECTED_LOG } from "../review/events";
import { EXPECTED as EXPECTED_PREVIEW } from "../review/preview";
import { type FailOn, type Report, SEVERITIES } from "../review/report";
import { nameOf, read } from "./input";
import { serverIfNamed, serverOptions } from "./server";
import { trafficIn } from "./traffic";

interface Options extends ServerOptions {
  readonly format: Format;
  readonly failOn: FailOn;
  readonly accept: readonly string[];
  readonly baseline?: string;
  readonly events?: string;
  readonly folder?: string;
  readonly traffic: readonly string[];
  readonly try?: true;
  readonly gateway?: readonly string[];
}

const FAILED = 1;
const FOUND = 2;

/**
 * `review`: shows the effects of a preview on callers and owners.
 *
 * @param gateway the gateway's program and its first arguments, for --try
 */
export function reviewCommand(gateway?: readonly string[]): Command {
  const command = new Command("review")
    .description(
      "Show the effects of a preview on callers. Exit code 0: no findings that fail; 2: findings; 1: the review failed",
    )
    .argument(
      "[file]",
      "file with the output of `pulumi preview --json --show-sames`; - or nothing for standard input",
    );
  for (const option of serverOptions()) command.addOption(option);
  return command
    .addOption(new Option("--format <format>", "format of the report").choices(FORMATS).default("markdown"))
    .addOption(
      new Option("--fail-on <severity>", "exit with 2 for findings of this severity or above")
        .choices([...SEVERITIES, "never"])
        .default("high"),
    )
    .addOption(
      new Option("--accept <hash>", "accept the finding or the whole report with this hash; may be repeated")
        .argParser((hash, hashes: string[]) => [...hashes, hash])
        .default([], "none"),
    )
    .option("--baseline <file>", "accept the findings of an earlier report (--format json)")
    .option(
      "--folder <folder>",
      "folder of the program's project, for the lines of a program in YAML (default: the current folder)",
    )
    .addOption(
      new Option(
        "--traffic <file>",
        "say what the change does to recorded requests: the output of `tunnelplane-gateway traffic`; may be repeated",
      )
        .argParser((file, files: string[]) => [...files, file])
        .default([], "none"),
    )
    .option(
      "--try",
      "send the examples of the report to two Envoys, before and after the change; needs tunnelplane-gateway and Envoy",
    )
    .option("--events <file>", "read policy violations, and nothing else, from an engine event log")
    .action((file: string | undefined, options: Options) => run(file, { ...options, gateway }));
}

async function run(
  file = "-",
  { format, failOn, accept, baseline, events, folder, traffic, try: onEnvoy, gateway, ...server }: Options,
): Promise<void> {
  const preview = read(file, EXPECTED_PREVIEW);
  const report = await reviewInFull(preview, {
    ...serverIfNamed(server),
    accept,
    baseline: baseline === undefined ? undefined : reportIn(baseline),
    events: events === undefined ? undefined : read(events, EXPECTED_LOG),
    folder,
    source: nameOf(file),
    onEnvoy,
    gateway,
    traffic: traffic.length === 0 ? undefined : trafficIn(traffic),
  });
  process.stdout.write(write(report, format));
  const { tried } = report;
  if (tried && (tried.requests === 0 || tried.differing.length > 0)) console.error(tried.sentence);
  // If Envoy does something else than the report says, nobody can trust the report.
  if (tried && tried.differing.length > 0) {
    process.exitCode = FAILED;
    return;
  }
  const { length } = failing(report, failOn);
  if (length === 0) return;
  const findings = length === 1 ? "1 finding fails" : `${length} findings fail`;
  console.error(
    `${findings} the review, which ends with ${FOUND} (--fail-on ${failOn}); --accept accepts those that are intended`,
  );
  // Do not call process.exit(), which would cut off output that is not written yet.
  process.exitCode = FOUND;
}

const EXPECTED_REPORT = "expected the output of: tunnelplane-pulumi review --format json";

function reportIn(file: string): Report {
  let report: unknown;
  try {
    report = JSON.parse(read(file, EXPECTED_REPORT));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const isReport =
    isObject(report) &&
    report.version === 1 &&
    typeof report.hash === "string" &&
    Array.isArray(report.findings);
  if (!isReport) throw new Error(`${file} is not a report; ${EXPECTED_REPORT}`);
  return report as unknown as Report;
}
