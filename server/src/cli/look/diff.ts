import { readFileSync } from "node:fs";
import type { Transport, WithFindings } from "@tunnelplane/sdk";
import type { Definition } from "@tunnelplane/sdk/contract";
import { isObject, own } from "@tunnelplane/sdk/contract";
import { objectText } from "@tunnelplane/sdk/meaning";
import { Command } from "commander";
import { type ApiOptions, throughApi, withApiOptions } from "../api";
import { withExamples } from "../examples";
import { NegativeAnswer } from "../failures";
import { dim, green, type OutputOptions, oneLine, outputOption, print, red, yellow } from "../output";
import { kindOfId } from "./kinds";
import { found, type Stored } from "./objects";

/** `tunnelplane diff <id> <file>` */
export function diffCommand(): Command {
  const command = new Command("diff")
    .description(
      "Show what an update from a file would change in an object, and the effects on callers; nothing is changed",
    )
    .argument("<id>", "id of the object")
    .argument(
      "<file>",
      'the fields to change, in JSON or YAML, as a PATCH takes them; "-" for standard input',
    )
    .addOption(
      outputOption(
        "`changes` (a list of `path`, `old` and `new`), `findings`, and `finding_limits`: the parts that could not be examined",
      ),
    )
    .action((id: string, file: string, options: ApiOptions & OutputOptions) => {
      const definition = kindOfId(id);
      const change = readFields(file);
      return throughApi(options, (transport) =>
        printDifference(transport, definition, { id, change }, options),
      );
    });
  return withExamples(
    withApiOptions(command),
    [
      "tunnelplane diff edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue change.yaml",
      "exit code 1 if there is a difference",
    ],
    [
      'echo \'{"description": "ours"}\' | tunnelplane diff ipp_0ERWdYmHciyPtBdiFM2OsTqjQue -',
      "from standard input",
    ],
  );
}

function readFields(file: string): object {
  const text = readFileSync(file === "-" ? 0 : file, "utf8");
  const { parse }: typeof import("yaml") = require("yaml");
  const fields: unknown = parse(text);
  if (isObject(fields)) return fields;
  throw new Error(`${file} must hold the fields to change, for example "description: ours"`);
}

async function printDifference(
  transport: Transport,
  definition: Definition,
  { id, change }: { readonly id: string; readonly change: object },
  options: OutputOptions,
): Promise<void> {
  const {
    path,
    body: { resource_name: _name, ...before },
  } = await found(transport, definition, id);
  const { body } = await transport.request<Stored & WithFindings>("PATCH", path, change, {
    dryRun: true,
    findings: true,
  });
  const { findings, finding_limits = [], access, ...after } = body;
  const difference = { changes: changesBetween(before, after), findings, finding_limits };
  print(difference, options, () => linesOf(difference, access.sentence));
  if (difference.changes.length > 0) throw new NegativeAnswer();
}

interface Change {
  readonly path: string;
  readonly old?: unknown;
  readonly new?: unknown;
}

/** The differences between two values, each with its path. */
function changesBetween(before: unknown, after: unknown, path = ""): Change[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) =>
      changesBetween(own(before, name), own(after, name), path ? `${path}.${name}` : name),
    );
  }
  return [{ path, old: before, new: after }];
}

type Difference = Required<Pick<WithFindings, "findings" | "finding_limits">> & {
  readonly changes: readonly Change[];
};

function* linesOf({ changes, findings, finding_limits }: Difference, verdict: string): Generator<string> {
  for (const { path, old, new: now } of changes) {
    if (!isNothing(old)) yield red(`- ${oneLine(path)}: ${oneLine(JSON.stringify(old))}`);
    if (!isNothing(now)) yield green(`+ ${oneLine(path)}: ${oneLine(JSON.stringify(now))}`);
  }
  if (changes.length > 0) yield oneLine(verdict);
  for (const { severity, sentence, cause } of findings)
    yield yellow(`${severity}: ${oneLine(`${sentence} (${objectText(cause)})`)}`);
  for (const limit of finding_limits) yield dim(oneLine(limit));
  if (changes.length === 0) yield "There is no difference.";
}

const isNothing = (value: unknown): boolean => value === undefined || value === null;
