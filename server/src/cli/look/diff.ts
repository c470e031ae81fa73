import { readFileSync } from "node:fs";
import type { Transport, WithFindings } from "@tunnelplane/sdk";
import type { Definition } from "@tunnelplane/sdk/contract";
import { Command } from "commander";
import { parse } from "yaml";
import { type ApiOptions, throughApi, withApiOptions } from "../api";
import { withExamples } from "../examples";
import { SaysNo } from "../failures";
import { dim, green, oneLine, red, yellow } from "../output";
import { kindOfId } from "./kinds";
import type { Stored } from "./objects";
import { found } from "./read";

/** `tunnelplane diff <id> <file>` */
export function diffCommand(): Command {
  const command = new Command("diff")
    .description("Show what an update from a file would change in an object, and what that means for callers; nothing is changed")
    .argument("<id>", "id of the object")
    .argument("<file>", 'the fields to change, in JSON or YAML, as a PATCH takes them; "-" for standard input')
    .action((id: string, file: string, options: ApiOptions) => {
      const definition = kindOfId(id);
      const change = readFields(file);
      return throughApi(options, (transport) => printDifference(transport, definition, id, change));
    });
  return withExamples(
    withApiOptions(command),
    ["tunnelplane diff edgtls_0ERWdYmHciyPtBdiFM2OsTqjQue change.yaml", "exit code 1 if there is a difference"],
    ['echo \'{"description": "ours"}\' | tunnelplane diff ipp_0ERWdYmHciyPtBdiFM2OsTqjQue -', "from standard input"],
  );
}

function readFields(file: string): object {
  const text = readFileSync(file === "-" ? 0 : file, "utf8");
  const fields: unknown = parse(text);
  if (typeof fields === "object" && fields !== null && !Array.isArray(fields)) return fields;
  throw new Error(`${file} must hold the fields to change, for example "description: ours"`);
}

async function printDifference(transport: Transport, definition: Definition, id: string, change: object): Promise<void> {
  const { path, body: before } = await found(transport, definition, id);
  const { body } = await transport.request<Stored & WithFindings>("PATCH", path, change, { dryRun: true, findings: true });
  const { findings, finding_limits: limits = [], ...after } = body;
  const lines = differences(before, after);
  for (const line of lines) console.log(line);
  for (const { severity, sentence } of findings) console.log(yellow(`${severity}: ${oneLine(sentence)}`));
  for (const limit of limits) console.log(dim(limit));
  if (lines.length === 0) return console.log("There is no difference.");
  throw new SaysNo();
}

/** The differences between two values, each with its place. */
function differences(before: unknown, after: unknown, at = ""): string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (isRecord(before) && isRecord(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => differences(before[name], after[name], at ? `${at}.${name}` : name));
  }
  return [
    ...(isNothing(before) ? [] : [red(`- ${at}: ${oneLine(JSON.stringify(before))}`)]),
    ...(isNothing(after) ? [] : [green(`+ ${at}: ${oneLine(JSON.stringify(after))}`)]),
  ];
}

const isNothing = (value: unknown): boolean => value === undefined || value === null;
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
