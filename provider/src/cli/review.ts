import { readFileSync } from "node:fs";
import { Command, Option } from "commander";
import type { ServerOptions } from "../host/askServer";
import { FORMATS, type Format, failing, review, write } from "../review";
import { EXPECTED as EXPECTED_LOG } from "../review/events";
import { EXPECTED as EXPECTED_PREVIEW, isObject, textOf } from "../review/preview";
import { type FailOn, type Report, SEVERITIES } from "../review/report";
import { serverOptions } from "./server";

interface Options extends ServerOptions {
  readonly format: Format;
  readonly failOn: FailOn;
  readonly accept: readonly string[];
  readonly baseline?: string;
  readonly events?: string;
}

const FOUND = 2;

/** `review`: what a preview means for callers and owners. */
export function reviewCommand(): Command {
  const command = new Command("review")
    .description("Say what a preview means for callers: exit code 0 nothing to stop for, 2 findings, 1 no review was possible")
    .argument("[file]", "the output of `pulumi preview --json --show-sames`; - or nothing for standard input");
  for (const option of serverOptions()) command.addOption(option);
  return command
    .addOption(new Option("--format <format>", "how to print the report").choices(FORMATS).default("markdown"))
    .addOption(
      new Option("--fail-on <severity>", "findings from this severity on end in 2").choices([...SEVERITIES, "never"]).default("high"),
    )
    .addOption(
      new Option("--accept <hash>", "the hash of a finding or a report that is accepted; may be repeated")
        .argParser((hash, hashes: string[]) => [...hashes, hash])
        .default([], "none"),
    )
    .option("--baseline <file>", "an earlier report (--format json), whose findings are accepted")
    .option("--events <file>", "an engine event log, of which policy violations are read and nothing else")
    .action(run);
}

async function run(file = "-", { format, failOn, accept, baseline, events, ...server }: Options): Promise<void> {
  const url = server.url || process.env.TUNNELPLANE_BASE_URL || undefined;
  const apiKey = server.apiKey || process.env.TUNNELPLANE_API_KEY || undefined;
  const preview = read(file, EXPECTED_PREVIEW);
  const report = await review(preview, {
    // Read the environment later, so that errors can say where a value comes from.
    ...((url || apiKey) && { url: server.url ?? "", apiKey: server.apiKey ?? "" }),
    accept,
    baseline: baseline === undefined ? undefined : reportIn(baseline),
    events: events === undefined ? undefined : read(events, EXPECTED_LOG),
    source: nameOf(file),
    progress: (objects) => console.error(`Read ${objects} objects …`),
  });
  process.stdout.write(write(report, format));
  // A process that is told to exit would cut what it has not printed yet.
  if (failing(report, failOn).length > 0) process.exitCode = FOUND;
}

const EXPECTED_REPORT = "expected the output of: tunnelplane-pulumi review --format json";

const nameOf = (file: string): string => (file === "-" ? "Standard input" : file);

const STANDARD_INPUT = 0;

/** @param expected how to make what the file should hold */
function read(file: string, expected: string): string {
  try {
    return textOf(readFileSync(file === "-" ? STANDARD_INPUT : file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === "ENOENT" ? "there is no such file" : (code ?? "it cannot be read");
    throw new Error(`${nameOf(file)} cannot be read: ${reason}; ${expected}`);
  }
}

function reportIn(file: string): Report {
  let report: unknown;
  try {
    report = JSON.parse(read(file, EXPECTED_REPORT));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  const isReport = isObject(report) && report.version === 1 && typeof report.hash === "string" && Array.isArray(report.findings);
  if (!isReport) throw new Error(`${file} is no report; ${EXPECTED_REPORT}`);
  return report as unknown as Report;
}
